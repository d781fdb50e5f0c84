import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { WebSocket } from 'ws';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';
import { LOOP_WATCH, loopLateness } from '../loop-watch.ts';
import { type Row, row } from '../measure.ts';
import { startShellsHost } from '../shells-host.ts';

const TERMINALS = 5000;
const LEAVING = 50; // terminals of each user who loses the right
const KEYS = 50; // API keys, which share the terminals that stay
const SERVERS = 20;
const OPENED_AT_ONCE = 40;
const KEYS_PER_S = 500; // typed into all terminals together
const TYPING_MS = 100;
const WATCHED_MS = 12_000; // longer than the interval at which an instance stores its terminals
const GROUP = 'many';
const TERMINAL_ENDED = 4009;

interface Line {
  readonly socket: WebSocket;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
}

interface User {
  readonly id: number;
  readonly token: string;
}

/** A user loses the right to a server while thousands of terminals run on the instance, recorded and in use. */
export async function measureRevocation(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-revocation-'));
  const database = join(folder, 'sallyport.db');
  const host = await startShellsHost();
  const env = {
    SERVICE_DB_URL: database,
    SERVICE_DISABLE_MONITOR: 'true',
    SERVICE_RECORD_SESSIONS: 'true',
    SERVICE_TRUSTED_PROXIES: '127.0.0.1', // any other address may have only a quarter of all connections
  };
  const gateway = await startGatewayProcess({ env, preload: [LOOP_WATCH] });
  try {
    return await measure(gateway, host.port, (user) => withdrawFromOutside(database, user));
  } finally {
    await gateway.kill(); // with its recordings
    host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  gateway: GatewayProcess,
  port: number,
  withdrawElsewhere: (user: User) => void,
): Promise<Row[]> {
  const server_ids = await inTurn(SERVERS, (i) =>
    gateway.addServer({ port, username: 'many', password: 'any' }, `many ${i}`, { group: GROUP }),
  );
  const keys = await inTurn(KEYS, (i) => createApiKey(gateway, `key ${i}`));
  const here = await createUser(gateway, 'here');
  const elsewhere = await createUser(gateway, 'elsewhere');
  const open = (tokens: readonly string[], count: number) =>
    openLines(gateway, server_ids, { tokens, count });
  const lines = await open(keys, TERMINALS - 2 * LEAVING);
  const leaving_here = await open([here.token], LEAVING);
  const leaving_elsewhere = await open([elsewhere.token], LEAVING);
  const stop = typeInto(lines);
  await loopLateness(gateway); // ignores what came before
  await pause(WATCHED_MS);
  const here_ms = await untilEnded(leaving_here, () => setGroups(gateway, here, []));
  const elsewhere_ms = await untilEnded(leaving_elsewhere, async () => withdrawElsewhere(elsewhere));
  const late = await loopLateness(gateway);
  stop();
  return [
    row('5,000 terminals, a right is withdrawn, until 50 of them have ended', 'ms', {
      ...{ ours: here_ms, want: '<= 2000' },
    }),
    row('5,000 terminals, a right is withdrawn by another instance', 'ms', {
      ...{ ours: elsewhere_ms, want: '<= 2000' },
    }),
    row('5,000 terminals, lateness of the event loop, p99', 'ms', { ours: late.p99, want: '<= 100' }),
  ];
}

async function untilEnded(lines: readonly Line[], withdraw: () => Promise<unknown>): Promise<number> {
  const began_ms = performance.now();
  await withdraw();
  const codes = await Promise.all(lines.map(({ closed }) => closed));
  const other = codes.find((code) => code !== TERMINAL_ENDED);
  if (other !== undefined) throw new Error(`A terminal was closed with ${other}`);
  return performance.now() - began_ms;
}

/** As another instance would do it: the gateway is not told. */
function withdrawFromOutside(database: string, { id }: User): void {
  const db = new Database(database, { timeout: 5000 });
  db.prepare("update users set allowed_groups = '[]' where id = ?").run(id);
  db.close();
}

function typeInto(lines: readonly Line[]): () => void {
  let at = 0;
  const timer = setInterval(() => {
    for (let count = 0; count < (KEYS_PER_S * TYPING_MS) / 1000; count += 1) {
      lines[at]?.socket.send(Buffer.from('x'));
      at = (at + 1) % lines.length;
    }
  }, TYPING_MS);
  return () => clearInterval(timer);
}

interface Wanted {
  readonly tokens: readonly string[];
  readonly count: number;
}

async function openLines(
  gateway: GatewayProcess,
  server_ids: readonly number[],
  { tokens, count }: Wanted,
): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const batch = Array.from({ length: Math.min(OPENED_AT_ONCE, count - lines.length) }, (_, i) => {
      const at = lines.length + i;
      return openLine(gateway, server_ids[at % server_ids.length] ?? 0, tokens[at % tokens.length] ?? '');
    });
    lines.push(...(await Promise.all(batch)));
  }
  return lines;
}

/** Resolves with the prompt. */
function openLine({ url }: GatewayProcess, server_id: number, token: string): Promise<Line> {
  const address = `${url.replace('http', 'ws')}/api/ws/terminal/${server_id}?cols=80&rows=24`;
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(address, ['sallyport.v1'], { headers, perMessageDeflate: false });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  return new Promise((resolve, reject) => {
    socket.on('message', (_data, is_binary) => {
      if (is_binary) resolve({ socket, closed });
    });
    socket.once('error', reject);
    void closed.then((code) => reject(new Error(`A terminal was closed with ${code}`)));
  });
}

async function createApiKey(gateway: GatewayProcess, name: string): Promise<string> {
  const { key } = await send(gateway, 'POST', '/api/auth/api-keys', { name, scopes: ['terminal'] });
  return key;
}

async function createUser(gateway: GatewayProcess, username: string): Promise<User> {
  const account = { username, password: 'a-password-of-this-run' };
  const { id } = await send(gateway, 'POST', '/api/auth/users', account);
  const { access_token: token } = await send(gateway, 'POST', '/api/auth/login', account);
  await setGroups(gateway, { id, token }, [GROUP]);
  return { id, token };
}

function setGroups(gateway: GatewayProcess, { id }: User, allowed_groups: readonly string[]) {
  return send(gateway, 'PUT', `/api/auth/users/${id}/groups`, { allowed_groups });
}

async function send({ url, token }: GatewayProcess, method: string, path: string, body: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function inTurn<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index += 1) made.push(await make(index));
  return made;
}
