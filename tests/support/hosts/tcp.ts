import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A listener on 127.0.0.1. */
export interface Peer {
  readonly port: number;
  /** The number of open connections. */
  open(): number;
  /** Resolves when a connection is open. */
  connected(): Promise<void>;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

// Below those that Linux gives to connections and to listeners that take any: such a port is soon somebody else's.
const PORTS = { first: 20_000, count: 12_000 };

/** A port that somebody will listen on later. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    const probe = createServer().listen(port, '127.0.0.1');
    const is_free = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!is_free) continue;
    await once(probe.close(), 'close');
    return port;
  }
}

/** Accepts connections and never sends a byte. */
export function startSilentPeer(host?: string): Promise<Peer> {
  return listen(() => {}, host);
}

/** Sends `text` to every client, then waits, or disconnects. */
export function startTalkingPeer(text: string, { hang_up = false } = {}): Promise<Peer> {
  return listen((socket) => {
    if (hang_up) socket.end(text);
    else socket.write(text);
  });
}

export interface TcpProxy extends Peer {
  /** Resets every open connection. */
  cut(): void;
  /** Keeps connections open but forwards nothing, like a dead network. */
  freeze(): void;
  /** Takes nothing from its clients until the returned function is called. */
  stall(): () => void;
  /** How many connections it has accepted. */
  accepted(): number;
}

/** Forwards to a port of 127.0.0.1, or to these in turn: then several hosts answer at one address. */
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
    stall() {
      const stalled = [...pairs];
      for (const [near, far] of stalled) near.unpipe(far).pause();
      return () => {
        for (const [near, far] of stalled) near.pipe(far);
      };
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

// The start of an ed25519 key-exchange signature on the wire (RFC 8709 §6).
const SIGNATURE = Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x40', 'latin1');

/** Forwards to an sshd, but breaks its proof of the host key, as a man in the middle would have to. */
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
    socket.on('data', () => {}); // Without a reader, Node reports no end.
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

/** The address of a listening TCP server is an object. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
