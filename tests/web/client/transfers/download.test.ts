import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { downloadArchive, downloadFile } from '#client/transfers/download.ts';
import { collectGarbage } from '../../../support/garbage.ts';

const CONTENT = Buffer.from('0123456789'.repeat(10));

let server: Server;
let base_url: string;
let etag: string;
/** Bytes of the next response after which its connection breaks. */
let break_after: number | undefined;
let ranges: (string | undefined)[];
/** Whether the next response stays open after its first bytes. */
let falls_silent: boolean;
let drops_ranges: boolean;
let drops_conditions: boolean;
/** Where a response begins that should begin elsewhere. */
let misplaced: number | undefined;

beforeEach(async () => {
  etag = '"first"';
  break_after = undefined;
  ranges = [];
  drops_ranges = drops_conditions = false;
  misplaced = undefined;
  falls_silent = false;
  server = createServer((request, response) => {
    const { 'if-match': if_match = etag } = request.headers;
    ranges.push(request.headers.range);
    const range = drops_ranges ? undefined : request.headers.range;
    if (if_match !== etag && !drops_conditions) {
      response.writeHead(412, { 'Content-Type': 'application/json' });
      return void response.end('{"detail":"It has changed","code":"precondition_failed"}');
    }
    const start = misplaced ?? startOf(range);
    const part = CONTENT.subarray(start);
    response.writeHead(range ? 206 : 200, {
      ETag: etag,
      'Content-Length': part.length,
      ...(range ? { 'Content-Range': `bytes ${start}-${CONTENT.length - 1}/${CONTENT.length}` } : {}),
    });
    if (falls_silent) return void response.write(part.subarray(0, 5));
    if (break_after === undefined) return void response.end(part);
    response.write(part.subarray(0, break_after), () => request.socket.destroy());
    break_after = undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const startOf = (range = '') => Number(/bytes=(\d+)-/.exec(range)?.[1] ?? 0);

const download = (more: { offset?: number; signal?: AbortSignal; retries?: number } = {}) =>
  downloadFile(
    createClient({ base_url, retries: more.retries ?? 8 }),
    { server_id: 3, path: '/a', offset: more.offset ?? 0 },
    more.signal,
  );

it('A download resumes where its connection broke', async () => {
  break_after = 35;
  const { body, size_bytes } = await download();
  expect(await new Response(body).text()).toBe(CONTENT.toString());
  expect([size_bytes, ranges]).toEqual([100, [undefined, 'bytes=35-']]);
});

it('A download from an offset knows the size of the whole file', async () => {
  const { body, size_bytes } = await download({ offset: 90 });
  expect([await new Response(body).text(), size_bytes]).toEqual(['0123456789', 100]);
});

it('A download fails when the file has changed before it could resume', async () => {
  break_after = 35;
  const { body } = await download();
  etag = '"second"';
  await expect(new Response(body).text()).rejects.toMatchObject({ status: 412, code: 'precondition_failed' });
});

it('A download fails when a proxy answers with the whole file instead of the rest', async () => {
  drops_ranges = true;
  await expect(download({ offset: 90 })).rejects.toMatchObject({ code: 'network' });
});

it('A download never joins another version of the file, though a proxy drops the condition', async () => {
  break_after = 35;
  drops_conditions = true;
  const { body } = await download();
  etag = '"second"';
  await expect(new Response(body).text()).rejects.toMatchObject({ status: 412, code: 'stale_etag' });
});

it('A download fails when a proxy answers with another part', async () => {
  misplaced = 80;
  await expect(download({ offset: 90 })).rejects.toMatchObject({ code: 'network' });
});

it('A cancelled download does not resume', async () => {
  const giving_up = new AbortController();
  break_after = 35;
  const { body } = await download({ signal: giving_up.signal });
  const reader = body.getReader();
  await reader.read();
  giving_up.abort();
  await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' });
  expect(ranges).toHaveLength(1);
});

it('A download with `retries: 0` fails when its connection breaks', async () => {
  break_after = 35;
  const { body } = await download({ retries: 0 });
  await expect(new Response(body).text()).rejects.toMatchObject({ status: 0, code: 'network' });
  expect(ranges).toHaveLength(1);
});

it.each(['its request was collected', 'its fetch ignores the signal'])(
  'A silent download ends with its signal, although %s',
  async (reason) => {
    falls_silent = true;
    const giving_up = new AbortController();
    const deaf = (request: Request) => fetch(request.url, { headers: request.headers });
    const client = createClient({ base_url, ...(reason.includes('ignores') ? { fetch: deaf } : {}) });
    const { body } = await downloadFile(client, { server_id: 3, path: '/a' }, giving_up.signal);
    const reader = body.getReader();
    await reader.read();
    collectGarbage();
    const next = reader.read();
    giving_up.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
  },
);

it('A silent archive ends with its signal', async () => {
  falls_silent = true;
  const giving_up = new AbortController();
  const wanted = { server_id: 3, paths: ['/a'], base_path: '/' };
  const body = await downloadArchive(createClient({ base_url }), wanted, giving_up.signal);
  const reader = body.getReader();
  await reader.read();
  collectGarbage();
  const next = reader.read();
  giving_up.abort(new Error('Given up'));
  await expect(next).rejects.toThrow('Given up');
});

it.each(['json', 'text', 'arrayBuffer', 'stream', 'blob'] as const)(
  'A response read as %s ends with the signal of its request',
  async (parseAs) => {
    falls_silent = true;
    const giving_up = new AbortController();
    const { http } = createClient({ base_url });
    const params = { path: { server_id: 3 }, query: { path: '/a' } };
    const reading = http
      .GET('/api/files/{server_id}/download', { params, parseAs, signal: giving_up.signal })
      .then(({ data }) => new Response(data as ReadableStream).text());
    await expect.poll(() => ranges.length).toBe(1);
    collectGarbage();
    giving_up.abort(new Error('Given up'));
    await expect(reading).rejects.toThrow('Given up');
  },
);
