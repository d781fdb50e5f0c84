import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Something that listens on 127.0.0.1. */
export interface Peer {
  readonly port: number;
  /** Connections that are open now. */
  open(): number;
  /** Resolves when a connection is open. */
  connected(): Promise<void>;
  /** Resolves when no connection is open any more. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const peer = await listen(() => {});
  await peer.stop();
  return peer.port;
}

/** Accepts and never says a word. */
export function startSilentPeer(host?: string): Promise<Peer> {
  return listen(() => {}, host);
}

/** Says `text` to whoever connects, then waits, or hangs up. */
export function startTalkingPeer(text: string, { hang_up = false } = {}): Promise<Peer> {
  return listen((socket) => {
    if (hang_up) socket.end(text);
    else socket.write(text);
  });
}

export interface TcpProxy extends Peer {
  /** Resets every connection that is open. */
  cut(): void;
  /** Keeps connections open but lets nothing pass any more, as a dead network does. */
  freeze(): void;
  /** How many connections were ever made. */
  accepted(): number;
}

/** Passes bytes on to a port of 127.0.0.1, or to these in turn: then several hosts answer at one address. */
export async function startProxy(...to_ports: [number, ...number[]]): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let accepted = 0;
  const peer = await listen((near) => {
    const far = connect(to_ports[accepted % to_ports.length] ?? to_ports[0], '127.0.0.1');
    accepted += 1;
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.setNoDelay(true);
    far.setNoDelay(true);
    near.pipe(far).pipe(near);
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => {
      far.destroy();
      pairs.delete(pair);
    });
  });
  return {
    ...peer,
    accepted: () => accepted,
    cut() {
      for (const [near, far] of pairs) {
        near.resetAndDestroy();
        far.destroy();
      }
    },
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume();
        far.resume();
      }
    },
  };
}

// How the ed25519 signature of a key exchange begins on the wire (RFC 8709 §6).
const SIGNATURE = Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x40', 'latin1');

/** Passes on to an sshd, but spoils its proof of owning the host key, as somebody in between would have to. */
export async function startTamperingProxy(to_port: number): Promise<Peer> {
  return listen((near) => {
    const far = connect(to_port, '127.0.0.1');
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf(SIGNATURE);
      if (at >= 0) bytes[at + SIGNATURE.length] = (bytes[at + SIGNATURE.length] ?? 0) ^ 1;
      near.write(bytes);
    });
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
}

async function listen(greet: (socket: Socket) => void, host = '127.0.0.1'): Promise<Peer> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting.clear();
    });
    socket.on('data', () => {}); // without a reader, Node reports no end
    greet(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: portOf(server),
    open: () => sockets.size,
    connected: async () => {
      if (sockets.size === 0) await once(server, 'connection');
    },
    idle: () => new Promise((resolve) => (sockets.size === 0 ? resolve() : waiting.add(resolve))),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A listening TCP server's address is never a path nor null. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
