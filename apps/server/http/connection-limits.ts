import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, plainAddress } from '#core/lib/network.ts';

const MOST = 10_000; // each costs some 10 KiB, and a file descriptor
const SHARE_OF_FILES = 0.5; // hosts, databases and recordings need some, too
const SHARE_OF_ONE_PEER = 0.25;
const YOUNG_MS = 300; // whoever has just connected is about to ask

export interface ConnectionLimits {
  readonly most: number;
  readonly most_of_one_peer: number;
  /** Who stands for many: a proxy of ours. */
  readonly isProxy: (address: string) => boolean;
}

/** As many as the operating system leaves room for. */
export function defaultLimits(isProxy: ConnectionLimits['isProxy']): ConnectionLimits {
  const most = Math.min(MOST, Math.floor(openFiles() * SHARE_OF_FILES));
  return { most, most_of_one_peer: Math.ceil(most * SHARE_OF_ONE_PEER), isProxy };
}

/** `ulimit -n`; Node has raised it as far as it goes. */
function openFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY; // no Linux
  }
}

/** Those that may go, each in the order in which it came to that. */
interface Idle {
  /** Have their answer, and still send what nobody reads. */
  readonly lingering: Set<Socket>;
  readonly waiting: Set<Socket>;
}

const nobody = (): Idle => ({ lingering: new Set(), waiting: new Set() });

interface Peer extends Idle {
  count: number;
}

interface Connection {
  readonly peer: Peer;
  readonly key: string;
  /** When it came. */
  readonly since_ms: number;
  under_way: number;
}

/**
 * Whoever comes when there are too many takes the place of a connection that has its answer already, or that has waited
 * longest for a request; only when each has one under way the newcomer is turned away.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #peers = new Map<string, Peer>();
  readonly #idle = nobody();

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
    server.prependListener('request', (incoming, response) => {
      const { socket } = incoming;
      this.#busy(socket);
      response.once('close', () => {
        // Closed while its client still sends, a connection is reset, and a reset overtakes the answer.
        if (incoming.complete) this.#waits(socket);
        else {
          this.#lingers(socket);
          incoming.once('end', () => this.#waits(socket));
        }
      });
    });
  }

  /** It is a WebSocket from now on. */
  upgraded(socket: Socket): void {
    this.#busy(socket);
  }

  /** Ends those without a request under way, unless one may just be on its way; Node takes those that never sent anything for busy. */
  closeWaiting(): void {
    const young = performance.now() - YOUNG_MS;
    for (const socket of this.#idle.waiting) {
      if ((this.#connections.get(socket)?.since_ms ?? 0) < young) this.#shed(socket);
    }
  }

  #opened(socket: Socket): void {
    const { most, most_of_one_peer, isProxy } = this.#limits;
    const address = plainAddress(socket.remoteAddress ?? '');
    const key = networkOf(address);
    const peer = this.#peers.get(key) ?? { count: 0, ...nobody() };
    const is_crowd = peer.count >= most_of_one_peer && !isProxy(address);
    const is_full = this.#connections.size >= most;
    if ((is_crowd && !this.#makeRoom(peer)) || (is_full && !this.#makeRoom(this.#idle))) {
      socket.destroy();
      return;
    }
    peer.count += 1;
    this.#peers.set(key, peer);
    this.#connections.set(socket, { peer, key, since_ms: performance.now(), under_way: 0 });
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
    connection.under_way += 1;
    this.#needed(socket, connection.peer);
  }

  #waits(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.under_way -= 1;
    this.#needed(socket, connection.peer);
    if (connection.under_way === 0) this.#await(socket, connection.peer);
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
