import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { sendFile, type UploadPlan } from '#client/transfers/tus-upload.ts';
import { uploadFile } from '#client/transfers/upload.ts';

const never = new AbortController().signal;

/** A minimal tus 1.0 server; the gateway’s paths below a prefix. */
function createTusHost() {
  const parts = new Map<string, { bytes: Buffer; length: number }>();
  const seen: { readonly asked: string; readonly headers: IncomingMessage['headers'] }[] = [];
  let retry_after = '7';
  let refusal: { status: number; body: object } | undefined;
  /** Bytes of a PATCH after which its connection breaks. */
  let break_after: number | undefined;
  let is_forgetful = false;
  /** The size of the file at the target. */
  let target_size: number | undefined;
  let location = 'uploads';

  const answer = (response: ServerResponse, status: number, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'Tus-Resumable': '1.0.0', ...headers }).end();

  function create(request: IncomingMessage, response: ServerResponse): void {
    const id = `part-${parts.size + 1}`;
    if (!is_forgetful)
      parts.set(id, { bytes: Buffer.alloc(0), length: Number(request.headers['upload-length']) });
    answer(response, 201, { Location: `${location}/${id}` });
  }

  async function append(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    const part = parts.get(id);
    if (!part) return void answer(response, 404);
    for await (const chunk of request) {
      part.bytes = Buffer.concat([part.bytes, chunk]);
      if (break_after === undefined || part.bytes.length < break_after) continue;
      part.bytes = part.bytes.subarray(0, break_after);
      break_after = undefined;
      request.socket.destroy();
      return;
    }
    answer(response, 204, { 'Upload-Offset': String(part.bytes.length) });
  }

  const isStat = ({ url }: IncomingMessage) => target_size !== undefined && url?.includes('/stat?');

  const server: Server = createServer((request, response) => {
    seen.push({ asked: `${request.method} ${request.url}`, headers: request.headers });
    const id = request.url?.split('/').at(-1) ?? '';
    const part = parts.get(id);
    if (isStat(request)) {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ is_dir: false, size: target_size }));
    } else if (refusal) {
      request.resume();
      response.writeHead(refusal.status, { 'Content-Type': 'application/json', 'Retry-After': retry_after });
      response.end(JSON.stringify(refusal.body));
    } else if (request.method === 'POST') create(request, response);
    else if (request.method === 'PATCH') append(request, response, id).catch(() => response.destroy());
    else if (part) {
      const offset = { 'Upload-Offset': String(part.bytes.length), 'Upload-Length': String(part.length) };
      answer(response, 200, offset);
    } else answer(response, 404);
  });
  return {
    server,
    parts,
    seen,
    refuse: (status: number, body: object, seconds = '7') => {
      refusal = { status, body };
      retry_after = seconds;
    },
    place: (size: number) => {
      target_size = size;
    },
    forget: () => {
      is_forgetful = true;
    },
    locateAt: (url: string) => {
      location = url;
    },
    breakAfter: (bytes: number) => {
      break_after = bytes;
    },
  };
}

let host: ReturnType<typeof createTusHost>;
let base_url: string;
let tokens: string[];

beforeEach(async () => {
  host = createTusHost();
  tokens = [];
  await new Promise<void>((resolve) => host.server.listen(0, '127.0.0.1', resolve));
  base_url = `http://127.0.0.1:${(host.server.address() as AddressInfo).port}/gate`;
});
afterEach(() => {
  host.server.closeAllConnections();
  host.server.close();
});

const place = { server_id: 3, directory: '/srv/ä', filename: 'a b.txt', overwrite: false };

function upload(
  content: string,
  { plan = {}, signal = never }: { plan?: Partial<UploadPlan>; signal?: AbortSignal } = {},
) {
  const begun: string[] = [];
  const progress: number[] = [];
  const client = createClient({ base_url, credentials: { token: () => tokens.shift() ?? 'last' } });
  const watch = {
    signal,
    onBegun: (id: string) => void begun.push(id),
    onProgress: (bytes: number) => void progress.push(bytes),
  };
  const done = sendFile(client, new Blob([content]), { plan: { ...place, ...plan }, watch });
  return { done, begun, progress };
}

const asked = () => host.seen.map((request) => request.asked);

describe('A tus upload', () => {
  it('is created at the gateway below its prefix, with target and length', async () => {
    const { done, begun, progress } = upload('content');
    await done;
    expect(asked()).toEqual(['POST /gate/api/files/3/uploads', 'PATCH /gate/api/files/3/uploads/part-1']);
    expect(host.parts.get('part-1')?.bytes.toString()).toBe('content');
    expect(begun).toEqual(['part-1']);
    expect(progress.at(-1)).toBe(7);
    const { headers } = host.seen[0] ?? {};
    const metadata = String(headers?.['upload-metadata'])
      .split(',')
      .map((pair) => pair.split(' '));
    const read = metadata.map(([key, value = '']) => [key, Buffer.from(value, 'base64').toString()]);
    expect(Object.fromEntries(read)).toEqual({ filename: 'a b.txt', path: '/srv/ä', overwrite: 'false' });
    expect(headers).toMatchObject({ 'upload-length': '7', 'tus-resumable': '1.0.0' });
  });

  it('sends the current token with each request', async () => {
    tokens = ['first', 'second'];
    await upload('content').done;
    expect(host.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  it('reports a network failure when it breaks, and resumes at the host’s offset', async () => {
    host.breakAfter(5);
    const broken = upload('content'.repeat(10));
    await expect(broken.done).rejects.toMatchObject({ status: 0, code: 'network' });
    const { done, progress } = upload('content'.repeat(10), { plan: { upload_id: 'part-1' } });
    await done;
    expect(asked().slice(-2)).toEqual([
      'HEAD /gate/api/files/3/uploads/part-1',
      'PATCH /gate/api/files/3/uploads/part-1',
    ]);
    expect(progress[0]).toBe(5);
    expect(host.parts.get('part-1')?.bytes.toString()).toBe('content'.repeat(10));
  });

  it('sends nothing more once it is cancelled', async () => {
    const giving_up = new AbortController();
    const { done } = upload('content', { signal: giving_up.signal });
    giving_up.abort();
    await expect(done).rejects.toMatchObject({ name: 'AbortError' });
    await upload('other').done; // By then the first one would have arrived too.
    expect(asked().filter((request) => request.startsWith('POST'))).toHaveLength(1);
    expect([...host.parts.values()].map(({ bytes }) => bytes.toString())).toEqual(['other']);
  });

  it('reports the gateway’s reason for a refusal', async () => {
    host.refuse(409, { detail: 'There is something', code: 'already_exists' });
    await expect(upload('content').done).rejects.toMatchObject({
      status: 409,
      code: 'already_exists',
      detail: 'There is something',
      retry_after: 7,
    });
  });

  it('is resumed by `uploadFile` when it breaks, and begun anew when the gateway no longer knows it', async () => {
    host.breakAfter(5);
    const client = createClient({ base_url });
    await uploadFile(client, new Blob(['content'.repeat(10)]), { plan: { ...place, upload_id: 'gone' } });
    expect(host.parts.get('part-1')?.bytes.toString()).toBe('content'.repeat(10));
    const at = '/gate/api/files/3/uploads';
    expect(asked()).toEqual([
      `HEAD ${at}/gone`,
      `POST ${at}`,
      `PATCH ${at}/part-1`,
      `HEAD ${at}/part-1`,
      `PATCH ${at}/part-1`,
    ]);
  });

  it('is given up when the gateway forgets it again and again', async () => {
    host.forget();
    const uploaded = uploadFile(createClient({ base_url }), new Blob(['content']), { plan: place });
    await expect(uploaded).rejects.toMatchObject({ status: 404 });
    expect(asked().filter((request) => request.startsWith('POST'))).toHaveLength(9);
  });

  it('has succeeded when the gateway no longer knows it and the file is in place', async () => {
    host.forget();
    host.place(7);
    await uploadFile(createClient({ base_url }), new Blob(['content']), { plan: place });
    expect(asked().at(-1)).toBe('GET /gate/api/files/3/stat?path=%2Fsrv%2F%C3%A4%2Fa%20b.txt');
  });

  it.each([
    ['another size', 8, false],
    ['the size of an older file that it replaces', 7, true],
  ])('is begun anew when the file in place has %s', async (_what, size, overwrite) => {
    host.forget();
    host.place(size);
    const plan = { ...place, overwrite };
    const uploaded = uploadFile(createClient({ base_url }), new Blob(['content']), { plan });
    await expect(uploaded).rejects.toMatchObject({ status: 404 });
  });

  it('is given up at once when it would have to wait for long', async () => {
    host.refuse(503, { detail: 'Later', code: 'shutting_down' }, '100000000');
    const uploaded = uploadFile(createClient({ base_url }), new Blob(['content']), { plan: place });
    await expect(uploaded).rejects.toMatchObject({ code: 'shutting_down' });
    expect(asked()).toHaveLength(1);
  });

  it('fails when a proxy invents a status', async () => {
    host.refuse(999, {});
    await expect(upload('content').done).rejects.toMatchObject({ code: 'network' });
  });

  it('never takes the token to another origin', async () => {
    host.locateAt(base_url.replace('127.0.0.1', 'localhost'));
    await expect(upload('content').done).rejects.toMatchObject({ code: 'network' });
    expect(asked()).toEqual(['POST /gate/api/files/3/uploads']);
  });

  it('is not restarted when the gateway no longer knows it', async () => {
    const { done } = upload('content', { plan: { upload_id: 'gone' } });
    await expect(done).rejects.toMatchObject({ status: 404, code: 'http_404' });
    expect(asked()).toEqual(['HEAD /gate/api/files/3/uploads/gone']);
  });
});
