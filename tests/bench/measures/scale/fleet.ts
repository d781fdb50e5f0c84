import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres, type TestPostgres } from '../../../support/databases/postgres.ts';
import { type GatewayProcess, startGatewayProcess } from '../../gateway-process.ts';
import { LOOP_WATCH } from '../../loop-watch.ts';
import { type ShellsHost, startShellsHost } from '../../shells-host.ts';

/** One PostgreSQL, one host with shells, and as many instances as a measurement asks for. */
export interface Fleet {
  readonly postgres: TestPostgres;
  readonly host: ShellsHost;
  /** Runs with fresh instances on an empty database, and ends them. */
  run<T>(
    count: number,
    measure: (instances: readonly GatewayProcess[], shared: Shared) => Promise<T>,
  ): Promise<T>;
}

/** What an edge needs to know of the instances. */
export interface Shared {
  readonly SERVICE_DB_URL: string;
  readonly SERVICE_SECRET_KEY: string;
}

export async function withFleet<T>(measure: (fleet: Fleet) => Promise<T>): Promise<T> {
  const server = await startPostgres({ durable: true });
  const host = await startShellsHost();
  try {
    return await measure({
      postgres: server,
      host,
      run: (count, work) => withInstances(server, count, work),
    });
  } finally {
    host.stop();
    await server.stop();
  }
}

let databases = 0;

async function withInstances<T>(
  server: TestPostgres,
  count: number,
  work: (instances: readonly GatewayProcess[], shared: Shared) => Promise<T>,
): Promise<T> {
  databases += 1;
  const url = new URL(server.url);
  url.pathname = `/scale_${databases}`;
  const sql = postgres(server.url, { max: 1 });
  await sql.unsafe(`create database scale_${databases}`);
  await sql.end();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-scale-'));
  const shared = { SERVICE_DB_URL: url.href, SERVICE_SECRET_KEY: 'a secret key of the benchmark' };
  const env = {
    ...shared,
    SERVICE_TRUSTED_PROXIES: '127.0.0.1', // any other address may have only a quarter of all connections
    SERVICE_DISABLE_MONITOR: 'true',
    SERVICE_MAX_SESSIONS_PER_USER: '0',
    SERVICE_RECORDINGS_DIR: folder,
  };
  const instances: GatewayProcess[] = [];
  try {
    for (let at = 0; at < count; at += 1)
      instances.push(await startGatewayProcess({ env, untouched: at > 0, preload: [LOOP_WATCH] }));
    return await work(instances, shared);
  } finally {
    for (const instance of instances) await instance.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first of the instances. */
export function firstOf(instances: readonly GatewayProcess[]): GatewayProcess {
  const [first] = instances;
  if (!first) throw new Error('No instance was started');
  return first;
}

export async function post(
  { url, token }: GatewayProcess,
  path: string,
  body: object,
  method = 'POST',
): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
