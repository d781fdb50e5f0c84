import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { SshHop } from '#core/ports/ssh.ts';
import type { Peer } from '../../support/hosts/tcp.ts';
import { FRESH } from '../setup.ts';

/** Sends this to every client, this many bytes at once, and waits. */
export async function startSaying(bytes: Buffer, step = bytes.length): Promise<Pick<Peer, 'port' | 'stop'>> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume();
    socket.setNoDelay(true);
    const say = (at: number): void => {
      if (at < bytes.length && socket.writable) {
        socket.write(bytes.subarray(at, at + step), () => say(at + step));
      }
    };
    say(0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { port, stop: async () => void (await once(server.close(), 'close')) };
}

export function kexInit(lists: readonly string[]): Buffer {
  return packet(Buffer.concat([Buffer.from([20]), Buffer.alloc(16), ...lists.map(string), Buffer.alloc(5)]));
}

export function string(value: string | Buffer): Buffer {
  const length = Buffer.alloc(4);
  const bytes = Buffer.from(value);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Not encrypted. */
export function packet(payload: Buffer): Buffer {
  const padding = 8 - ((payload.length + 5) % 8) + 8;
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length + padding + 1);
  head[4] = padding;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

export const hopTo = (port: number): SshHop => ({
  ...{ server_id: 1, name: 'web-1', hostname: '127.0.0.1', port, username: 'deploy' },
  ...FRESH,
  auth: { method: 'password', password: 'one password' },
});
