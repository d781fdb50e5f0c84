import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeMessage } from '#worker/keeper/messages.ts';
import { type GatewayProcess, startGatewayProcess } from '../../bench/gateway-process.ts';
import { SECRET_KEY } from '../gateway/gateway.ts';

/** One data directory with a keeper, and the gateways that run in it one after the other. */
export interface KeptPlace {
  readonly data_dir: string;
  readonly recordings_dir: string;
  start(more?: Readonly<Record<string, string>>): Promise<GatewayProcess>;
  /** A connection to the keeper. */
  connect(): Promise<Socket>;
  /** Runs work with a gateway on the same database that has no keeper. */
  without(work: (gateway: GatewayProcess) => Promise<unknown>): Promise<void>;
  keeperPid(): Promise<number>;
  close(): Promise<void>;
}

export function createKeptPlace(env: Readonly<Record<string, string>> = {}): KeptPlace {
  const data_dir = mkdtempSync(join(tmpdir(), 'sallyport-kept-'));
  const recordings_dir = join(data_dir, 'recordings');
  let is_untouched = false;

  async function connectToKeeper(): Promise<Socket> {
    const socket = connect(join(data_dir, 'keeper/socket'));
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    return socket;
  }

  async function start(more: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const started = await startGatewayProcess({
      untouched: is_untouched,
      env: {
        SERVICE_KEEPER: 'on',
        SERVICE_DATA_DIR: data_dir,
        SERVICE_RECORDINGS_DIR: recordings_dir,
        SERVICE_SECRET_KEY: SECRET_KEY,
        SERVICE_DISABLE_MONITOR: 'true',
        SERVICE_DRAIN_SECONDS: '0',
        ...env,
        ...more,
      },
    });
    is_untouched = true;
    return started;
  }

  async function stopKeeper(): Promise<void> {
    const socket = await connectToKeeper().catch(() => undefined);
    if (!socket) return;
    const closed = once(socket, 'close');
    socket.resume();
    socket.write(encodeMessage(0, { say: 'stop' }));
    await closed;
  }

  return {
    data_dir,
    recordings_dir,
    start,
    connect: connectToKeeper,
    async without(work) {
      const gateway = await start({ SERVICE_KEEPER: 'off' });
      await work(gateway);
      await gateway.kill();
    },
    keeperPid: () => keeperPid(data_dir),
    async close() {
      await stopKeeper();
      rmSync(data_dir, { recursive: true, force: true });
    },
  };
}

/** Of the keeper that a gateway with this data directory has started. */
export async function keeperPid(data_dir: string): Promise<number> {
  const [line = ''] = (await readFile(join(data_dir, 'keeper/log'), 'utf8')).split('\n');
  return JSON.parse(line).pid;
}

/** Calls the API; with a body, as POST. */
export async function call<T>(
  { url, token }: Pick<GatewayProcess, 'url' | 'token'>,
  path: string,
  body?: object,
  other_token = token,
): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${other_token}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return JSON.parse(text || 'null');
}

export async function filesBelow(folder: string): Promise<{ path: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(path) })));
}
