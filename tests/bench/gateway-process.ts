import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../support/at-exit.ts';
import { freePort } from '../support/hosts/tcp.ts';

const START = new URL('../../apps/server/start.mjs', import.meta.url).pathname;

const FIRST_PASSWORD = 'first-password-1';
export const PASSWORD = 'second-password-2';

export interface GatewayProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Another gateway created the database and changed the administrator's password. */
  readonly untouched?: boolean;
  /** Modules that are loaded before the gateway. */
  readonly preload?: readonly string[];
}

export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  addServer(
    host: { port: number; username: string; password: string },
    name?: string,
    more?: object,
  ): Promise<number>;
  /** The URL of a file operation; the token goes into a header. */
  fileUrl(server_id: number, operation: string, path: string): string;
  /** Its standard output since it listens. */
  output(): string;
  stop(): Promise<void>;
  /** As when the machine crashes. */
  kill(): Promise<void>;
}

/** The built gateway as a separate process, with a signed-in administrator. */
export async function startGatewayProcess(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const port = await freePort();
  const env = {
    SERVICE_DATA_DIR: folder,
    SERVICE_RECORDINGS_DIR: join(folder, 'recordings'),
    SERVICE_PORT: String(port),
    SERVICE_ADMIN_PASSWORD: FIRST_PASSWORD,
    SERVICE_LOG_FORMAT: 'json',
    SERVICE_MAX_SESSIONS_PER_USER: '0',
    ...options.env,
  };
  const preload = (options.preload ?? []).flatMap((path) => ['--import', path]);
  const child = spawn(process.execPath, [...preload, START], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const callOff = atExit(() => child.kill('SIGKILL'));
  let is_listening = false;
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    is_listening = String(text).includes('is listening on');
    if (is_listening) break;
  }
  if (!is_listening) throw new Error('The gateway ended before it listened');
  let output = '';
  child.stdout.on('data', (text: string) => {
    output += text;
  });
  const url = `http://127.0.0.1:${port}`;
  const token = await signIn(url, options.untouched ? PASSWORD : FIRST_PASSWORD);
  if (!options.untouched) await post(url, token, '/api/auth/change-password', { new_password: PASSWORD });
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    callOff();
    child.kill(signal);
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url,
    token,
    pid: child.pid ?? 0,
    async addServer({ port: ssh_port, username, password }, name = 'bench', more = {}) {
      const fields = { name, hostname: '127.0.0.1', port: ssh_port, username, password, ...more };
      return (await post(url, token, '/api/servers', fields)).id;
    },
    fileUrl: (server_id, operation, path) =>
      `${url}/api/files/${server_id}/${operation}?path=${encodeURIComponent(path)}`,
    output: () => output,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function signIn(url: string, password: string): Promise<string> {
  const { access_token } = await post(url, '', '/api/auth/login', { username: 'admin', password });
  return access_token;
}

async function post(url: string, token: string, path: string, body: unknown) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      connection: 'close', // a gateway that was killed and started again has the same port
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
