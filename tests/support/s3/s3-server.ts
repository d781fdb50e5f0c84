import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Keys, objectionTo } from './signature.ts';

const BUCKET = 'recordings';
const KEYS: Keys = { access_key_id: 'AKIDTEST', secret_access_key: 'never/in+a/log' };
const REGION = 'eu-test-1';

interface Request {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string | number>;
  readonly body?: string | Buffer;
}

/** The part of S3 that recordings need: signatures are verified, parts have a least size, ranges are answered. */
export interface S3Server {
  readonly endpoint: string;
  readonly options: {
    readonly bucket: string;
    readonly endpoint: string;
    readonly region: string;
    readonly prefix: string;
    readonly force_path_style: true;
    readonly credentials: Keys;
  };
  readonly env: Record<string, string>;
  readonly objects: Map<string, Buffer>;
  /** Keys of the unfinished uploads. */
  uploads(): string[];
  /** Method and purpose of each request, such as `POST begin`. */
  readonly requests: string[];
  /** Answers matching requests with this status instead, until it is undefined again. */
  fail(status: number | undefined, what?: RegExp): void;
  /** Does what the next matching request asks, and cuts its connection instead of answering. */
  lose(what: RegExp): void;
  /** Closes the port; `start` opens it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startS3(least_part_bytes = 16): Promise<S3Server> {
  const store = createStore(least_part_bytes);
  const requests: string[] = [];
  let losing: RegExp | undefined;
  let failing: { status: number; what: RegExp } | undefined;
  let port = 0;
  let server: Server | undefined;

  async function answer(message: IncomingMessage): Promise<Reply | 'lost'> {
    const body = Buffer.concat(await message.toArray());
    const url = new URL(message.url ?? '', 'http://store');
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/');
    const request = {
      method: message.method ?? '',
      key: rest.join('/'),
      query: url.searchParams,
      headers: message.headers,
      body,
    };
    const what = `${request.method} ${purposeOf(request)}`;
    requests.push(what);
    if (failing?.what.test(what)) return failure(failing.status, 'InternalError');
    const objection = objectionTo(message, body, KEYS);
    if (objection) return failure(403, objection);
    if (bucket !== BUCKET) return failure(404, 'NoSuchBucket');
    const reply = store.answer(request);
    if (!losing?.test(what)) return reply;
    losing = undefined;
    return 'lost';
  }

  const one: S3Server = {
    ...{ endpoint: '', options: undefined as never, env: {} }, // once the port is known
    objects: store.objects,
    uploads: store.uploads,
    requests,
    fail(status, what = /./) {
      failing = status === undefined ? undefined : { status, what };
    },
    lose(what) {
      losing = what;
    },
    async stop() {
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
    },
    async start() {
      server = createServer(
        (message, response) =>
          void answer(message).then((reply) => {
            if (reply === 'lost') message.socket.destroy();
            else send(message, response, reply);
          }),
      );
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port; // TCP
    },
  };
  await one.start();
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    ...one,
    endpoint,
    options: {
      bucket: BUCKET,
      endpoint,
      region: REGION,
      prefix: 'casts/',
      force_path_style: true,
      credentials: KEYS,
    },
    env: {
      SERVICE_RECORDINGS_S3_BUCKET: BUCKET,
      SERVICE_RECORDINGS_S3_ENDPOINT: endpoint,
      SERVICE_RECORDINGS_S3_REGION: REGION,
      SERVICE_RECORDINGS_S3_PREFIX: 'casts',
      SERVICE_RECORDINGS_S3_ACCESS_KEY_ID: KEYS.access_key_id,
      SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY: KEYS.secret_access_key,
    },
  };
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, headers, body = '' }: Reply,
): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(method === 'HEAD' ? undefined : body);
}

function purposeOf({ method, key, query }: Request): string {
  if (key === '') return query.has('uploads') ? 'list' : 'bucket';
  if (query.has('uploads')) return 'begin';
  if (!query.has('uploadId')) return 'object';
  return { PUT: 'part', POST: 'finish', DELETE: 'abort' }[method] ?? 'upload';
}

const failure = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>foreign words with never/in+a/log</Message></Error>`,
});

function createStore(least_part_bytes: number) {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();

  function finish(upload_id: string, body: string): Reply {
    const upload = uploads.get(upload_id);
    if (!upload) return failure(404, 'NoSuchUpload');
    const numbers = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) =>
      Number(number),
    );
    const tags = [...body.matchAll(/<ETag>(.*?)<\/ETag>/g)].map(([, tag = '']) =>
      tag.replaceAll('&quot;', '"'),
    );
    const parts = numbers.map((number) => upload.parts.get(number) ?? Buffer.alloc(0));
    if (parts.some((part, i) => etagOf(part) !== tags[i])) return failure(400, 'InvalidPart');
    if (parts.slice(0, -1).some(({ length }) => length < least_part_bytes))
      return failure(400, 'EntityTooSmall');
    objects.set(upload.key, Buffer.concat(parts));
    uploads.delete(upload_id);
    return {
      status: 200,
      body: `<CompleteMultipartUploadResult><Key>${upload.key}</Key></CompleteMultipartUploadResult>`,
    };
  }

  function ofUpload({ method, key, query, body }: Request): Reply {
    const upload_id = query.get('uploadId') ?? '';
    if (query.has('uploads') && method === 'POST') {
      const id = randomUUID();
      uploads.set(id, { key, parts: new Map() });
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (method === 'POST') return finish(upload_id, body.toString());
    const upload = uploads.get(upload_id);
    if (!upload) return failure(404, 'NoSuchUpload');
    if (method === 'DELETE') {
      uploads.delete(upload_id);
      return { status: 204 };
    }
    upload.parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: etagOf(body) } };
  }

  function ofBucket({ method, query }: Request): Reply {
    if (method === 'HEAD') return { status: 200 };
    const prefix = query.get('prefix') ?? '';
    const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
    const listed = found.map(
      ([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`,
    );
    return {
      status: 200,
      body: `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`,
    };
  }

  function ofObject({ method, key, headers, body }: Request): Reply {
    if (method === 'PUT') {
      objects.set(key, body);
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    if (method === 'DELETE') {
      objects.delete(key);
      return { status: 204 };
    }
    const object = objects.get(key);
    if (!object) return failure(404, 'NoSuchKey');
    if (method === 'HEAD') return { status: 200, headers: { 'content-length': object.length } };
    return ranged(object, headers.range);
  }

  return {
    objects,
    uploads: () => [...uploads.values()].map(({ key }) => key),
    answer(request: Request): Reply {
      if (request.key === '') return ofBucket(request);
      return request.query.has('uploads') || request.query.has('uploadId')
        ? ofUpload(request)
        : ofObject(request);
    },
  };
}

const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

function ranged(object: Buffer, range: string | undefined): Reply {
  const [, start = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (start === '') return { status: 200, body: object };
  if (Number(start) >= object.length) return failure(416, 'InvalidRange');
  const end = Math.min(object.length, last === '' ? object.length : Number(last) + 1);
  const headers = { 'content-range': `bytes ${start}-${end - 1}/${object.length}` };
  return { status: 206, headers, body: object.subarray(Number(start), end) };
}
