import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy on 127.0.0.1 that accepts connections and forwards nothing until it is released. */
export interface HeldProxy {
  readonly port: number;
  /** How many connections it has accepted. */
  accepted(): number;
  /** Resolves once it has accepted this many. */
  connected(count: number): Promise<void>;
  release(): void;
  stop(): Promise<void>;
}

export async function startHeldProxy(to_port: number): Promise<HeldProxy> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    accepted += 1;
    keep(near);
    void released.then(() => {
      const far = connect(to_port, '127.0.0.1');
      keep(far);
      far.on('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    accepted: () => accepted,
    async connected(count) {
      while (accepted < count) await once(server, 'connection');
    },
    release,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The address of a listening TCP server is an object. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
