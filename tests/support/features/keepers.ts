import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
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

  return {
    data_dir,
    recordings_dir,
    async start(more = {}) {
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
    },
    connect: connectToKeeper,
    async close() {
      const socket = await connectToKeeper().catch(() => undefined);
      if (socket) {
        const closed = once(socket, 'close');
        socket.resume();
        socket.write(encodeMessage(0, { say: 'stop' }));
        await closed;
      }
      rmSync(data_dir, { recursive: true, force: true });
    },
  };
}
