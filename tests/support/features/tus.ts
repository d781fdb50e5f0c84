import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { eventually } from '../eventually.ts';
import type { Actor } from '../gateway/gateway.ts';

export const PIECE = 'application/offset+octet-stream';

/** Of an upload, or of whom it was refused. */
export interface TusAnswer {
  readonly status: number;
  readonly code: unknown;
  readonly headers: Headers;
}

export interface Beginning {
  /** The directory. */
  readonly path: string;
  readonly filename: string;
  readonly length: number;
  readonly overwrite?: string;
}

export function metadata(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

/** A caller that speaks tus to one server of the registry. */
export function tusCaller({ fetch: send }: Pick<Actor, 'fetch'>, server_id: number) {
  const base = `/api/files/${server_id}/uploads`;

  async function ask(method: string, path: string, init: RequestInit = {}): Promise<TusAnswer> {
    const headers = { 'tus-resumable': '1.0.0', ...init.headers };
    const response = await send(path, { ...init, method, headers });
    const text = await response.text();
    const is_json = response.headers.get('content-type')?.startsWith('application/json');
    const code = is_json && text ? JSON.parse(text).code : undefined;
    return { status: response.status, code, headers: response.headers };
  }

  async function begin({ length, ...place }: Beginning): Promise<string> {
    const headers = { 'upload-length': String(length), 'upload-metadata': metadata({ ...place }) };
    const answer = await ask('POST', base, { headers });
    if (answer.status !== 201) throw new Error(`Not begun: ${answer.status} ${answer.code}`);
    return `/api/files/${server_id}/${answer.headers.get('location')}`;
  }

  const append = (upload: string, offset: number, bytes: Uint8Array<ArrayBuffer>, headers: object = {}) =>
    ask('PATCH', upload, {
      headers: { 'content-type': PIECE, 'upload-offset': String(offset), ...headers },
      body: bytes,
    });

  /** Where it stands, or why not. */
  async function offset(upload: string): Promise<number | string> {
    const { status, headers } = await ask('HEAD', upload);
    return status === 200 ? Number(headers.get('upload-offset')) : `${status}`;
  }

  /** Resolves when it stands beyond `least`; disturbs nobody who is at it. */
  const beyond = (upload: string, least: number) =>
    eventually(async () => {
      const stands_at = Number((await ask('GET', upload)).headers.get('upload-offset'));
      if (stands_at <= least) throw new Error(`It stands at ${stands_at}`);
      return stands_at;
    });

  return { base, ask, begin, append, offset, beyond };
}

export interface OpenPatch {
  readonly request: ClientRequest;
  write(bytes: Uint8Array): void;
  end(bytes?: Uint8Array): void;
  /** Breaks the connection. */
  breakOff(): void;
  readonly answered: Promise<IncomingMessage>;
}

/** A PATCH whose bytes come when the test says so. */
export function openPatch(
  url: string,
  { token, offset, length }: { token: string; offset: number; length?: number },
): OpenPatch {
  const sent = request(url, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${token}`,
      'tus-resumable': '1.0.0',
      'content-type': PIECE,
      'upload-offset': String(offset),
      ...(length === undefined ? {} : { 'content-length': String(length) }),
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', (response) => resolve(response.resume()));
    sent.on('error', reject);
  });
  answered.catch(() => undefined); // a caller that aborts it waits for no answer
  sent.once('socket', (socket) => socket.on('error', () => undefined)); // after the answer nobody else listens
  sent.flushHeaders();
  return {
    request: sent,
    answered,
    write: (bytes) => void sent.write(bytes),
    end: (bytes) => void sent.end(bytes),
    breakOff: () => void sent.destroy(),
  };
}
