import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../at-exit.ts';
import { freePort } from '../hosts/tcp.ts';

const START = new URL('../../../apps/server/start.mjs', import.meta.url).pathname;

/** The built gateway in a separate process, with its output. */
export interface RunningGateway {
  readonly child: ChildProcess;
  readonly url: string;
  /** The working folder, which contains the data directory. */
  readonly folder: string;
  /** Output on stdout and stderr. */
  output(): string;
  /** The exit code, once all output has been read. */
  readonly exit: Promise<number | null>;
  /** Kills the process if it is still running, and removes its folder. */
  remove(): Promise<void>;
}

/** `start` is the program of another version. */
export async function runGateway(
  env: Readonly<Record<string, string>>,
  start = START,
): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-running-'));
  const port = Number(env['SERVICE_PORT'] ?? (await freePort()));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [start], {
    cwd: folder,
    env: { PATH, HOME, SERVICE_DATA_DIR: join(folder, 'data'), SERVICE_PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const callOff = atExit(() => child.kill('SIGKILL'));
  let output = '';
  const exit = once(child, 'close').then(([code]): number | null => code);
  const listening = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('is listening on')) resolve();
      });
    }
    exit.then(() => reject(new Error(output)));
  });
  async function remove(): Promise<void> {
    callOff();
    child.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  }
  await listening.catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { child, url: `http://127.0.0.1:${port}`, folder, output: () => output, exit, remove };
}

/** Sends requests; a body that is not text is sent as JSON. */
export function callerOf(url: string, token = '') {
  return (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
}

/** Signs in for the first time, changes the password as required, and returns the token. */
export async function firstToken(url: string, first: string, next: string): Promise<string> {
  const login = await callerOf(url)('POST', '/api/auth/login', { username: 'admin', password: first });
  const { access_token } = await login.json();
  await callerOf(url, access_token)('POST', '/api/auth/change-password', { new_password: next });
  return access_token;
}
