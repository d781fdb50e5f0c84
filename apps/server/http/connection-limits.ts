import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, plainAddress } from '#core/lib/network/network.ts';
import { systemClock as clock } from '../lib/clock.ts';

const MAX_CONNECTIONS = 10_000; // each costs about 10 KiB and a file descriptor
const SHARE_OF_FILES = 0.5; // SSH connections, the database and recordings need descriptors too
const SHARE_OF_ONE_PEER = 0.25;
const YOUNG_MS = 300; // a new connection is about to send its request

export interface ConnectionLimits {
  readonly most: number;
  readonly most_of_one_peer: number;
  /** A trusted proxy carries many clients, so the limit per peer does not apply. */
  readonly isProxy: (address: string) => boolean;
}

/** Derived from the limit of open files. */
export function defaultLimits(isProxy: ConnectionLimits['isProxy']): ConnectionLimits {
  const most = Math.min(MAX_CONNECTIONS, Math.floor(openFiles() * SHARE_OF_FILES));
  return { most, most_of_one_peer: Math.ceil(most * SHARE_OF_ONE_PEER), isProxy };
}

/** `ulimit -n`, which Node has already raised to the hard limit. */
function openFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY; // not Linux
  }
}

/** Connections that may be closed, oldest first. */
interface Idle {
  /** Have their response and still send a body that nobody reads. */
  readonly lingering: Set<Socket>;
  /** Have no request in progress. */
  readonly waiting: Set<Socket>;
}

const noneIdle = (): Idle => ({ lingering: new Set(), waiting: new Set() });

interface Peer extends Idle {
  count: number;
}

interface Connection {
  readonly peer: Peer;
  readonly key: string;
  readonly since_ms: number;
  requests: number;
}

/**
 * At the limit, a new connection replaces one that already has its response, or the one that has been idle longest. It
 * is refused only when every connection has a request in progress.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #peers = new Map<string, Peer>();
  readonly #idle = noneIdle();

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
    server.prependListener('request', (incoming, response) => {
      const { socket } = incoming;
      this.#busy(socket);
      response.once('close', () => {
        // Closing while the client still sends would reset the connection, and a reset discards the response.
        if (incoming.complete) this.#waits(socket);
        else {
          this.#lingers(socket);
          incoming.once('end', () => this.#waits(socket));
        }
      });
    });
  }

  /** The connection has become a WebSocket. */
  upgraded(socket: Socket): void {
    this.#busy(socket);
  }

  /** Closes idle connections, except new ones. Node itself counts a connection without any request as busy. */
  closeWaiting(): void {
    const young = clock.elapsed_ms() - YOUNG_MS;
    for (const socket of this.#idle.waiting) {
      if ((this.#connections.get(socket)?.since_ms ?? 0) < young) this.#shed(socket);
    }
  }

  #opened(socket: Socket): void {
    const { most, most_of_one_peer, isProxy } = this.#limits;
    const address = plainAddress(socket.remoteAddress ?? '');
    const key = networkOf(address);
    const peer = this.#peers.get(key) ?? { count: 0, ...noneIdle() };
    const is_crowd = peer.count >= most_of_one_peer && !isProxy(address);
    const is_full = this.#connections.size >= most;
    if ((is_crowd && !this.#makeRoom(peer)) || (is_full && !this.#makeRoom(this.#idle))) {
      socket.destroy();
      return;
    }
    peer.count += 1;
    this.#peers.set(key, peer);
    this.#connections.set(socket, { peer, key, since_ms: clock.elapsed_ms(), requests: 0 });
    this.#await(socket, peer);
    socket.once('close', () => this.#forget(socket));
  }

  #makeRoom({ lingering, waiting }: Idle): boolean {
    const [longest] = lingering.size > 0 ? lingering : waiting;
    if (longest) this.#shed(longest);
    return longest !== undefined;
  }

  #shed(socket: Socket): void {
    this.#forget(socket);
    socket.destroy();
  }

  #await(socket: Socket, peer: Peer): void {
    for (const { waiting } of [this.#idle, peer]) waiting.add(socket);
  }

  #lingers(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    for (const { lingering } of [this.#idle, connection.peer]) lingering.add(socket);
  }

  #needed(socket: Socket, peer: Peer): void {
    for (const { lingering, waiting } of [this.#idle, peer]) {
      lingering.delete(socket);
      waiting.delete(socket);
    }
  }

  #busy(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.requests += 1;
    this.#needed(socket, connection.peer);
  }

  #waits(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.requests -= 1;
    this.#needed(socket, connection.peer);
    if (connection.requests === 0) this.#await(socket, connection.peer);
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    const { peer, key } = connection;
    this.#connections.delete(socket);
    this.#needed(socket, peer);
    peer.count -= 1;
    if (peer.count === 0) this.#peers.delete(key);
  }
}
