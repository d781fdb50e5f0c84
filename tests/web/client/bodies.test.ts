import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';

let server: Server;
let base_url: string;
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const JSON_TYPE = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-7' };

function sending(body: string, headers: Record<string, string | number> = {}) {
  return (response: ServerResponse) => void response.writeHead(200, { ...JSON_TYPE, ...headers }).end(body);
}

/** Never ends, and stops sending when nobody reads. */
function endless(chunk: string, first = '') {
  return (response: ServerResponse) => {
    response.writeHead(200, JSON_TYPE);
    response.write(first);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
}

function brokenOff(response: ServerResponse): void {
  response.writeHead(200, { ...JSON_TYPE, 'Content-Length': 100 });
  response.write('[{"id":', () => response.destroy());
}

describe('A successful response', () => {
  it.each([
    ['cut off with a length', sending('[{"id":1', { 'Content-Length': 8 })],
    ['cut off without a length', sending('[{"id":1')],
    ['empty', sending('', { 'Transfer-Encoding': 'chunked' })],
    ['a page of a proxy', sending('<html>Sign in</html>', { 'Content-Type': 'text/html' })],
    ['broken off', brokenOff],
    ['an endless page', endless(' '.repeat(65_536), '<html>')],
    ['endless space', endless(' '.repeat(1024 * 1024))],
  ])('that is %s throws a ClientError with its status', async (_what, given) => {
    answer = given;
    const failure = await createClient({ base_url })
      .http.GET('/api/servers')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ClientError);
    expect(failure).toMatchObject({ status: 200, code: 'invalid_response', request_id: 'r-7' });
  });

  it('that is endless JSON throws a ClientError with its status', async () => {
    const chunk = new TextEncoder().encode('["'.padEnd(8 * 1024 * 1024));
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const client = createClient({ base_url, fetch: async () => new Response(body) });
    await expect(client.http.GET('/api/servers')).rejects.toMatchObject({
      status: 200,
      code: 'invalid_response',
    });
  });

  it.each(['json', 'text', 'arrayBuffer', 'blob'] as const)(
    'that breaks off throws a ClientError when it is read as %s',
    async (parseAs) => {
      answer = brokenOff;
      const failure = createClient({ base_url }).http.GET('/api/servers', { parseAs });
      await expect(failure).rejects.toMatchObject({ status: 200, code: 'invalid_response' });
    },
  );

  it.each([
    ['json', [{ name: 'é' }]],
    ['text', '[{"name":"é"}]'],
    ['arrayBuffer', new TextEncoder().encode('[{"name":"é"}]').buffer],
    ['blob', new Blob(['[{"name":"é"}]'], { type: 'application/json' })],
  ] as const)('is read as %s', async (parseAs, expected) => {
    answer = sending('[{"name":"é"}]');
    const { data } = await createClient({ base_url }).http.GET('/api/servers', { parseAs });
    expect(data).toEqual(expected);
  });
});
