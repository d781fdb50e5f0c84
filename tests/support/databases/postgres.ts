import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { atExit } from '../at-exit.ts';
import { freePort } from '../hosts/tcp.ts';
import { quickFolder } from './quick-folder.ts';

export interface TestPostgres {
  /** Connects to a database whose owner may create others. */
  readonly url: string;
  /** Suspends every server process: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Fast shutdown: closes open connections. */
  halt(): Promise<void>;
  /** Immediate shutdown, like a crash; committed data survives only if the server was started `durable`. */
  crash(): Promise<void>;
  /** Restarts after `halt` or `crash`, on the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

type Identity = { uid: number; gid: number } | Record<string, never>;

const DEBIAN = '/usr/lib/postgresql';
const READY_MS = 30_000;
// Data need not survive a crash; a test run opens many small pools.
const QUICK = ['fsync=off', 'full_page_writes=off', 'max_connections=400'];

/** Starts a separate PostgreSQL in a temporary folder, which is removed on stop. */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const bin = binaries();
  const identity = unprivileged();
  const folder = quickFolder('sallyport-postgres-');
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'sallyport', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  execFileSync(join(bin, 'initdb'), initdb, {
    ...identity,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });

  const port = await freePort();
  const settings = [
    ...QUICK,
    `synchronous_commit=${durable ? 'on' : 'off'}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    `port=${port}`,
  ];
  const start = async () => {
    const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((it) => ['-c', it])], {
      ...identity,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const end = ending(server);
    await ready(server).catch(async (error: unknown) => {
      await end('SIGINT');
      throw error;
    });
    return { server, end };
  };

  let running = await start().catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  return {
    url: `postgres://sallyport@127.0.0.1:${port}/postgres`,
    freeze: () => signalAll(running.server, 'SIGSTOP'),
    thaw: () => signalAll(running.server, 'SIGCONT'),
    halt: () => running.end('SIGINT'),
    crash: () => running.end('SIGQUIT'),
    restart: async () => {
      running = await start();
    },
    stop: async () => {
      await running.end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function signalAll({ pid }: ChildProcess, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  for (const each of [String(pid), ...children]) signalIfThere(Number(each), signal);
}

/** A child may exit after it was listed; the server reaps it once it runs again. */
function signalIfThere(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function binaries(): string {
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
  const [newest] = versions;
  if (newest === undefined) throw new Error(`No PostgreSQL in ${DEBIAN}: install the package postgresql`);
  return join(DEBIAN, newest, 'bin');
}

/** PostgreSQL refuses to run as root; Debian's package creates a user for it. */
function unprivileged(): Identity {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function ready(server: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`PostgreSQL did not start:\n${output}`));
    const timer = setTimeout(fail, READY_MS);
    server.once('exit', fail);
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
      if (!output.includes('ready to accept connections')) return;
      clearTimeout(timer);
      server.off('exit', fail);
      resolve();
    });
  });
}

function ending(server: ChildProcess): (signal: 'SIGINT' | 'SIGQUIT') => Promise<void> {
  const callOff = atExit(() => server.kill('SIGQUIT'));
  return async (signal) => {
    callOff();
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await exited;
  };
}
