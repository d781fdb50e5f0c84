import { Fault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Ask, HostKeys, SshHop, SshTarget } from '#core/ports/ssh.ts';
import { type DialWatch, forwardAbort, startAttempt, UNWATCHED } from '../attempt.ts';
import {
  type Connection,
  closeLinks,
  type Link,
  type Links,
  lostFault,
  outermostLost,
  toConnection,
} from '../connection.ts';
import { openClient } from '../handshake/handshake.ts';
import type { PrivateKeyReader } from '../keys/private-keys.ts';
import { type AcquireSlot, withHandshakeSlot } from './handshake-slot.ts';
import type { HostLookup } from './host-lookup.ts';
import { openTcp } from './tcp.ts';
import { openTunnel } from './tunnel.ts';

export interface DialOptions {
  readonly signal?: AbortSignal | undefined;
  readonly watch?: DialWatch;
  /** Answers servers' questions; without it, a server that asks refuses the login. */
  readonly ask?: Ask;
  /** How far the last hop is dialled: with `host_key` nothing about the user is sent, and the connection can only be closed. */
  readonly until?: 'host_key' | 'auth';
  /** Dials through this connection's destination instead of directly. */
  readonly over?: Connection | undefined;
  /** Replaces the default for each hop. */
  readonly timeout_ms?: number;
  readonly acquireSlot?: AcquireSlot;
}

export interface Dialler {
  connect(target: SshTarget, options?: DialOptions): Promise<Connection>;
  /** Aborts pending dials and refuses new ones; open connections stay. */
  stop(): void;
  /** Also closes open connections. */
  close(): void;
}

export interface DiallerOptions {
  readonly host_keys: HostKeys;
  readonly keys: PrivateKeyReader;
  readonly lookup: HostLookup;
  /** For each hop, from name resolution to the end of authentication, not counting the time a person takes to answer. */
  readonly connect_timeout_ms: number;
  readonly clock: Clock;
}

/** The only way to reach hosts: terminals, files, tests and the monitor all dial here. */
export function createDialler(options: DiallerOptions): Dialler {
  const open = new Set<Connection>();
  const dialling = new Set<AbortController>();
  let closed = false;
  function stop(): void {
    closed = true;
    for (const abort of dialling) abort.abort(new Fault('shutting_down'));
  }
  return {
    stop,
    async connect(target, dial = {}) {
      if (closed) throw new Fault('shutting_down');
      const abort = new AbortController();
      const unfollow = forwardAbort(dial.signal, abort);
      dialling.add(abort);
      try {
        const connection = await dialAll(target, { ...options, ...dial, signal: abort.signal });
        open.add(connection);
        connection.onEnd(() => open.delete(connection));
        return connection;
      } finally {
        unfollow();
        dialling.delete(abort);
      }
    },
    close() {
      stop();
      for (const connection of open) connection.close(new Fault('shutting_down'));
    },
  };
}

type Dialling = DiallerOptions & DialOptions & { readonly signal: AbortSignal };

async function dialAll({ hops }: SshTarget, dialling: Dialling): Promise<Connection> {
  const { clock, over, signal } = dialling;
  const in_chain = hops.length > 1 || over !== undefined;
  const first_depth = over ? over.depth + 1 : 0;
  const [first, ...others] = hops;
  const dial = (hop: SshHop, before: Pick<Link, 'hop' | 'client'> | undefined, index: number) =>
    dialHop(
      { hop, before, in_chain, depth: first_depth + index, is_last: index === others.length },
      dialling,
    );
  const links: Links = [await dial(first, over, 0)];
  try {
    for (const [index, hop] of others.entries()) links.push(await dial(hop, links.at(-1), index + 1));
    signal.throwIfAborted();
    return toConnection(links, { clock, in_chain, depth: first_depth + others.length });
  } catch (error) {
    const lost = signal.aborted ? undefined : outermostLost(links);
    void closeLinks(links, clock);
    throw lost ? lostFault(lost, in_chain, error) : error;
  }
}

interface Leg {
  readonly hop: SshHop;
  /** The hop it is reached through. */
  readonly before: Pick<Link, 'hop' | 'client'> | undefined;
  readonly in_chain: boolean;
  readonly depth: number;
  readonly is_last: boolean;
}

async function dialHop({ hop, before, in_chain, depth, is_last }: Leg, dialling: Dialling): Promise<Link> {
  const {
    clock,
    signal,
    watch = UNWATCHED,
    host_keys,
    keys,
    lookup: names,
    ask,
    acquireSlot: place,
  } = dialling;
  const timeout_ms = dialling.timeout_ms ?? dialling.connect_timeout_ms;
  const attempt = startAttempt({ hop, in_chain, clock, timeout_ms, signal, watch });
  const until = is_last ? (dialling.until ?? 'auth') : 'auth';
  try {
    const stream = before
      ? await openTunnel(before.client, before.hop.name, attempt)
      : await openTcp(attempt, names);
    const work = () => openClient(stream, attempt, { host_keys, keys, clock, ask, until, depth });
    try {
      attempt.enter('handshake');
      const client = await (place
        ? withHandshakeSlot(stream, attempt, { acquire: place, clock, work })
        : work());
      return { hop, stream, client };
    } catch (error) {
      stream.destroy();
      throw error;
    }
  } finally {
    attempt.finish();
  }
}
