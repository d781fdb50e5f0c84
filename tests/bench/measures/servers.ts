import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';
import { median, type Row, row } from '../measure.ts';

const SERVERS = 5000;
const ASKS = 20;
const CROWD = 32;
const CROWD_ASKS = 20; // of each client
const HEALTH_PAUSE_MS = 10;
const MIB = 1024 * 1024;

interface Answer {
  readonly ms: number;
  readonly bytes: number;
  readonly etag: string;
}

type Ask = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** The list of a large registry, and how long everybody else waits beside it. */
export async function measureServers(): Promise<Row[]> {
  const gateway = await startGatewayProcess({ env: { SERVICE_DISABLE_MONITOR: 'true' } });
  const agent = new Agent({ keepAlive: true });
  const ask: Ask = (path, headers) => timed(gateway, path, { agent, headers });
  try {
    const [id = 0] = await fillRegistry(gateway);
    const plain = await ask('/api/servers');
    const zipped = await ask('/api/servers', { 'accept-encoding': 'gzip' });
    const health = await medianMs(() => ask('/api/health'));
    const unchanged = await medianMs(() => ask('/api/servers', { 'if-none-match': plain.etag }));
    const whole = await medianMs(() => ask('/api/servers'));
    const changed = await medianMs(async () => {
      await change(gateway, id);
      return ask('/api/servers');
    });
    const statuses = await medianMs(() => ask('/api/servers/status'));
    const asBrowser = () => ask('/api/servers', { 'accept-encoding': 'gzip' });
    await assemble(ask);
    const slowest = await slowestHealth(ask, () => crowd(asBrowser));
    const sizes = { theirs: plain.bytes / MIB, ours: zipped.bytes / MIB };
    return [
      row('list of 5,000 servers, compressed, against plain', 'MiB', { ...sizes, want: '<= 0.2' }),
      row('list of 5,000 servers, unchanged, against /api/health', 'ms', {
        ...{ theirs: health, ours: unchanged, want: '<= 10 ms' },
      }),
      row('list of 5,000 servers, whole', 'ms', { ours: whole, want: '<= 50' }),
      row('list of 5,000 servers, one of them changed', 'ms', { ours: changed, want: '<= 100' }),
      row('states of 5,000 servers', 'ms', { ours: statuses, want: '<= 100' }),
      row('/api/health while 32 browsers list 5,000 servers, slowest', 'ms', {
        ours: slowest,
        want: '<= 250',
      }),
    ];
  } finally {
    agent.destroy();
    await gateway.stop();
  }
}

interface Sent {
  readonly agent: Agent;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

async function timed(
  { url, token }: GatewayProcess,
  path: string,
  { agent, headers }: Sent,
): Promise<Answer> {
  const began_ms = performance.now();
  return new Promise((resolve, reject) => {
    const options = { agent, headers: { authorization: `Bearer ${token}`, ...headers } };
    get(`${url}${path}`, options, async (response) => {
      const { length } = await buffer(response);
      resolve({ ms: performance.now() - began_ms, bytes: length, etag: response.headers.etag ?? '' });
    }).once('error', reject);
  });
}

async function medianMs(ask: () => Promise<Answer>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < ASKS; count += 1) times.push((await ask()).ms);
  return median(times);
}

/** Node accepts one new connection in each turn of its loop, so the crowd is there before it asks. */
async function assemble(ask: Ask): Promise<void> {
  await Promise.all(Array.from({ length: CROWD + 1 }, () => ask('/api/health')));
}

async function crowd(ask: () => Promise<Answer>): Promise<void> {
  const clients = Array.from({ length: CROWD }, async () => {
    for (let count = 0; count < CROWD_ASKS; count += 1) await ask();
  });
  await Promise.all(clients);
}

async function slowestHealth(ask: Ask, load: () => Promise<void>): Promise<number> {
  let slowest = 0;
  let is_over = false;
  const loaded = load().finally(() => {
    is_over = true;
  });
  while (!is_over) {
    slowest = Math.max(slowest, (await ask('/api/health')).ms);
    await pause(HEALTH_PAUSE_MS);
  }
  await loaded;
  return slowest;
}

async function fillRegistry(gateway: GatewayProcess): Promise<number[]> {
  const servers = Array.from({ length: SERVERS }, (_, i) => ({
    name: `server ${i}`,
    hostname: `host-${i}.example`,
    username: 'deploy',
    group: `group ${i % 20}`,
    tags: ['linux', `rack ${i % 40}`],
    description: `The server number ${i} of this registry`,
  }));
  const { created } = await send(gateway, 'POST', '/api/servers/import', { servers });
  return created.map(({ id }: { id: number }) => id);
}

let changes = 0;

async function change(gateway: GatewayProcess, id: number): Promise<void> {
  changes += 1;
  await send(gateway, 'PUT', `/api/servers/${id}`, { description: `Changed ${changes} times` });
}

async function send({ url, token }: GatewayProcess, method: string, path: string, body: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
