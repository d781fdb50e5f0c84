import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './tcp.ts';

/** A port of 127.0.0.1 that forwards to another; while it is shut nothing listens there, as when a service is stopped. */
export interface Door {
  readonly port: number;
  /** Forwards to another port than before, if one is given. */
  open(another_port?: number): Promise<void>;
  shut(): Promise<void>;
}

export async function openDoor(to_port: number): Promise<Door> {
  const port = await freePort();
  let behind_port = to_port;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = connect(behind_port, '127.0.0.1');
    for (const socket of [near, far]) keep(socket);
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  });
  async function open(another_port = to_port): Promise<void> {
    behind_port = another_port;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  await open();
  return {
    port,
    open,
    async shut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
