import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, plainAddress } from '#core/lib/network.ts';

const MOST = 10_000; // each costs some 10 KiB, and a file descriptor
const SHARE_OF_FILES = 0.5; // hosts, databases and recordings need some, too
const SHARE_OF_ONE_PEER = 0.25;

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

interface Peer {
  count: number;
  readonly waiting: Set<Socket>;
}

interface Connection {
  readonly peer: Peer;
  readonly key: string;
  under_way: number;
}

/**
 * Whoever comes when there are too many takes the place of the connection that has waited longest for a request; only
 * when each has one under way the newcomer is turned away.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #peers = new Map<string, Peer>();
  readonly #waiting = new Set<Socket>(); // in the order in which they began to

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
    server.prependListener('request', (incoming, response) => {
      const { socket } = incoming;
      this.#busy(socket);
      response.once('close', () => {
        // Closed while its client still sends, a connection is reset, and a reset overtakes the answer.
        if (incoming.complete) this.#waits(socket);
        else incoming.once('end', () => this.#waits(socket));
      });
    });
  }

  /** It is a WebSocket from now on. */
  upgraded(socket: Socket): void {
    this.#busy(socket);
  }

  /** Ends those without a request under way; Node takes those that never sent anything for busy. */
  closeWaiting(): void {
    for (const socket of this.#waiting) this.#shed(socket);
  }

  #opened(socket: Socket): void {
    const { most, most_of_one_peer, isProxy } = this.#limits;
    const address = plainAddress(socket.remoteAddress ?? '');
    const key = networkOf(address);
    const peer = this.#peers.get(key) ?? { count: 0, waiting: new Set() };
    const is_crowd = peer.count >= most_of_one_peer && !isProxy(address);
    const is_full = this.#connections.size >= most;
    if ((is_crowd && !this.#makeRoom(peer.waiting)) || (is_full && !this.#makeRoom(this.#waiting))) {
      socket.destroy();
      return;
    }
    peer.count += 1;
    this.#peers.set(key, peer);
    this.#connections.set(socket, { peer, key, under_way: 0 });
    this.#await(socket, peer);
    socket.once('close', () => this.#forget(socket));
  }

  #makeRoom(waiting: ReadonlySet<Socket>): boolean {
    const [longest] = waiting;
    if (longest) this.#shed(longest);
    return longest !== undefined;
  }

  #shed(socket: Socket): void {
    this.#forget(socket);
    socket.destroy();
  }

  #await(socket: Socket, peer: Peer): void {
    this.#waiting.add(socket);
    peer.waiting.add(socket);
  }

  #busy(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.under_way += 1;
    this.#waiting.delete(socket);
    connection.peer.waiting.delete(socket);
  }

  #waits(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.under_way -= 1;
    if (connection.under_way === 0) this.#await(socket, connection.peer);
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    const { peer, key } = connection;
    this.#connections.delete(socket);
    this.#waiting.delete(socket);
    peer.waiting.delete(socket);
    peer.count -= 1;
    if (peer.count === 0) this.#peers.delete(key);
  }
}
