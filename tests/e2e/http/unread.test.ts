import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway/gateway-process.ts';
import { OPERATIONS, type Operation, pathOf } from '../../support/gateway/operations.ts';
import { type LargeHost, startLargeHost } from '../../support/hosts/large-host.ts';

const PARALLEL = 200;
const SMALL_HEAP = '--max-old-space-size=512';
/** They end the session with which the others are asked. */
const ENDS_THE_SESSION = ['auth.logout', 'sessions.end_all'];
const QUERY: Readonly<Record<string, string>> = { q: 'file', member: 'a', text: 'a' };

let host: LargeHost | undefined;
let gateway: GatewayProcess | undefined;
let server_id = 0;

beforeAll(async () => {
  host = await startLargeHost();
  gateway = await startGatewayProcess({ NODE_OPTIONS: SMALL_HEAP });
  const fields = { name: 'large', hostname: '127.0.0.1', port: host.port, username: 'any', password: 'any' };
  ({ id: server_id } = await gateway.post<{ id: number }>('/api/servers', fields));
});
afterAll(async () => {
  await gateway?.stop();
  await host?.stop();
});

function running(): GatewayProcess {
  if (!gateway) throw new Error('The gateway did not start');
  return gateway;
}

/** The server exists; whatever else an operation names does not. */
function targetOf(operation: Operation): string {
  const is_read = operation.method === 'GET' || operation.path.startsWith('/api/files/');
  const path = pathOf(operation, is_read ? String(server_id) : undefined);
  const query = operation.query
    .filter(({ name, required }) => required || name === 'path')
    .map(({ name }) => `${name}=${name === 'path' ? placeOf(operation) : QUERY[name]}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

const placeOf = ({ id }: Operation) => (['files.list', 'files.search'].includes(id) ? '/large' : '/text');

function requestOf(operation: Operation): string {
  const { token } = running();
  const body = operation.body ? '{}' : '';
  const headers = {
    Host: 'gateway',
    Authorization: `Bearer ${token}`,
    ...operation.headers,
    ...(operation.body ? { 'Content-Type': 'application/json' } : {}),
    ...(operation.method === 'GET' ? {} : { 'Content-Length': String(body.length) }),
    ...(operation.socket
      ? {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
        }
      : {}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${operation.method} ${targetOf(operation)} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Sends the request and takes nothing of the answer from the connection. */
function ask(request: string): Socket {
  const { port } = new URL(running().url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(request);
  return socket;
}

const answerBegins = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.once('readable', resolve);
    socket.once('close', () => resolve());
  });

/** The status of another user's request. */
const health = async () =>
  (await fetch(`${running().url}/api/health`, { headers: { connection: 'close' } })).status;

describe(`${PARALLEL} requests of one user, whose answers nobody reads, leave a gateway with a heap of 512 MiB alive`, () => {
  it.each(OPERATIONS.filter(({ id }) => !ENDS_THE_SESSION.includes(id)))('$id', async (operation) => {
    const request = requestOf(operation);
    const sockets = Array.from({ length: PARALLEL }, () => ask(request));
    try {
      await Promise.any(sockets.map(answerBegins));
      expect(await health()).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('and it answers that user again', async () => {
    const { url, token } = running();
    const list = await fetch(`${url}/api/files/${server_id}/ls?path=/large`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect((await list.json()).entries).toHaveLength(100_000);
  });
});
