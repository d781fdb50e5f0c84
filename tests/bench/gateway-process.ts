import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/tcp.ts';

const START = new URL('../../apps/server/start.mjs', import.meta.url).pathname;

export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  addServer(host: { port: number; username: string; password: string }): Promise<number>;
  download(
    server_id: number,
    path: string,
    get: (url: string, token: string) => Promise<number>,
  ): Promise<number>;
  stop(): Promise<void>;
}

/** The built gateway in a process of its own, signed in. */
export async function startGatewayProcess(): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const port = await freePort();
  const env = {
    SERVICE_DATA_DIR: folder,
    SERVICE_PORT: String(port),
    SERVICE_ADMIN_PASSWORD: 'first-password-1',
    SERVICE_LOG_FORMAT: 'json',
  };
  const child = spawn(process.execPath, [START], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    if (String(text).includes('is listening on')) break;
  }
  child.stdout.resume();
  const url = `http://127.0.0.1:${port}`;
  const { access_token: token } = await post(url, '', '/api/auth/login', {
    username: 'admin',
    password: 'first-password-1',
  });
  await post(url, token, '/api/auth/change-password', { new_password: 'second-password-2' });
  return {
    url,
    token,
    pid: child.pid ?? 0,
    async addServer({ port: ssh_port, username, password }) {
      const fields = { name: 'bench', hostname: '127.0.0.1', port: ssh_port, username, password };
      return (await post(url, token, '/api/servers', fields)).id;
    },
    download: (server_id, path, get) =>
      get(`${url}/api/files/${server_id}/download?path=${encodeURIComponent(path)}`, token),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function post(url: string, token: string, path: string, body: unknown) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
