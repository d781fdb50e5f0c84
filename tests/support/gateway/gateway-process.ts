import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionTest } from '#core/model/hosts/connection-test.ts';
import { atExit } from '../at-exit.ts';
import { freePort } from '../hosts/tcp.ts';

const START = new URL('../../../apps/server/start.mjs', import.meta.url).pathname;
const PASSWORD = 'first-password-1';

export interface GatewayProcess {
  readonly url: string;
  /** Of the administrator. */
  readonly token: string;
  /** Calls the API as the administrator. */
  post<T>(path: string, body?: object): Promise<T>;
  put<T>(path: string, body: object): Promise<T>;
  /** Output since startup. */
  output(): string;
  /** Registers a server and tests it. */
  test(fields: object): Promise<ConnectionTest>;
  stop(): Promise<void>;
}

interface Start {
  readonly program?: string;
  /** Where it runs and keeps its data; removed at the end. */
  readonly folder?: string;
}

/** Starts the built gateway in a separate process, with these extra environment variables. */
export async function startGatewayProcess(
  more: Record<string, string>,
  { program = START, folder = mkdtempSync(join(tmpdir(), 'sallyport-process-')) }: Start = {},
): Promise<GatewayProcess> {
  const port = await freePort();
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: {
      PATH,
      HOME,
      SERVICE_PORT: String(port),
      SERVICE_ADMIN_PASSWORD: PASSWORD,
      SERVICE_DISABLE_MONITOR: 'true',
      SERVICE_DRAIN_SECONDS: '0',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const callOff = atExit(() => child.kill('SIGKILL'));
  async function stop(): Promise<void> {
    callOff();
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
  const url = `http://127.0.0.1:${port}`;
  try {
    for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      if (String(text).includes('is listening on')) break;
    }
    let output = '';
    child.stdout.on('data', (text: string) => {
      output += text;
    });
    const token = await signIn(url);
    const post = sendAs(url, token);
    const test = async (fields: object) => {
      const { id } = await post<{ id: number }>('/api/servers', fields);
      return post<ConnectionTest>(`/api/servers/${id}/test`);
    };
    return { url, token, post, put: sendAs(url, token, 'PUT'), output: () => output, test, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function signIn(url: string): Promise<string> {
  const login = { username: 'admin', password: PASSWORD };
  const { access_token } = await sendAs(url, '')<{ access_token: string }>('/api/auth/login', login);
  await sendAs(url, access_token)('/api/auth/change-password', { new_password: 'second-password-2' });
  return access_token;
}

function sendAs(url: string, token: string, method = 'POST') {
  return async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}
