import { type ClientRequest, get } from 'node:http';
import type { GatewayProcess } from '../../gateway-process.ts';
import { memory, quantileOf, type Row, row } from '../../measure.ts';
import { untilIdle } from '../../processor.ts';
import { type Fleet, firstOf, post } from './fleet.ts';

const STREAMS = 1000;
const OF_ONE_USER = 20;

interface Stream {
  readonly request: ClientRequest;
  /** Resolves at the next event. */
  next(): Promise<void>;
}

/** Open pages listen to the states of servers. */
export async function measureEventStreams({ run, host }: Fleet): Promise<Row[]> {
  return run(1, async (instances) => {
    const gateway = firstOf(instances);
    const id = await gateway.addServer({ port: host.port, username: 'many', password: 'any' });
    const tokens = await createUsers(gateway, STREAMS / OF_ONE_USER);
    const warm = await openStreams(gateway, tokens.slice(0, 2));
    for (const { request } of warm) request.destroy();
    await untilIdle(gateway.pid);
    const before = memory.now(gateway.pid);
    const streams = await openStreams(gateway, tokens);
    await untilIdle(gateway.pid);
    const each_kib = ((memory.now(gateway.pid) - before) * 1024) / STREAMS;
    const began_ms = performance.now();
    const told = streams.map(async (stream) => {
      await stream.next();
      return performance.now() - began_ms;
    });
    // Another port: its state is unchecked again, which every page is told.
    await post(gateway, `/api/servers/${id}`, { port: host.port, hostname: 'localhost' }, 'PUT');
    const times = await Promise.all(told);
    for (const { request } of streams) request.destroy();
    return [
      row('memory per event stream, of 1,000', 'KiB', { ours: each_kib, want: '' }),
      row('until 1,000 streams have a change, median', 'ms', { ours: quantileOf(times, 0.5), want: '' }),
      row('until 1,000 streams have a change, slowest', 'ms', { ours: Math.max(...times), want: '<= 1000' }),
    ];
  });
}

async function createUsers(gateway: GatewayProcess, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const account = { username: `watcher-${at}`, password: 'a-password-of-this-run' };
    await post(gateway, '/api/auth/users', { ...account, is_admin: true });
    tokens.push(await signIn(gateway, account, at));
  }
  return tokens;
}

/** From an address of its own, because sign-ins are limited by address. */
async function signIn({ url }: GatewayProcess, account: object, at: number): Promise<string> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${at}` };
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify(account),
  });
  return (await response.json()).access_token;
}

/** As many of each user as one may have. */
async function openStreams({ url }: GatewayProcess, tokens: readonly string[]): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (const token of tokens) {
    const own = Array.from({ length: OF_ONE_USER }, () => openStream(url, token));
    streams.push(...(await Promise.all(own)));
  }
  return streams;
}

/** Resolves once the first snapshot has arrived. */
function openStream(url: string, token: string): Promise<Stream> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  return new Promise((resolve, reject) => {
    const request = get(`${url}/api/servers/events`, { headers, agent: false }, (response) => {
      const next = () =>
        new Promise<void>((heard) => {
          const listen = (data: Buffer) => {
            if (!data.includes('data:')) return; // a comment keeps the line alive
            response.off('data', listen);
            heard();
          };
          response.on('data', listen);
        });
      next().then(() => resolve({ request, next }), reject);
    });
    request.on('error', reject);
  });
}
