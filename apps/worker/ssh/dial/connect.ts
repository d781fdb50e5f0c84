import { Fault } from '#core/errors.ts';
import type { SshHop, SshTarget } from '#core/ports/ssh.ts';
import { assertReadAhead } from '../../node-internals/read-ahead.ts';
import { forwardAbort } from '../attempt.ts';
import {
  type Connection,
  closeLinks,
  type Link,
  type Links,
  lostFault,
  outermostLost,
  toConnection,
} from '../connection.ts';
import { assertSsh2 } from '../internals/check.ts';
import type { DiallerOptions, Dialling, DialOptions } from './dialling.ts';
import { dialHop } from './hop.ts';
import { createTurns } from './turns.ts';

export interface Dialler {
  connect(target: SshTarget, options?: DialOptions): Promise<Connection>;
  /** Aborts pending dials and refuses new ones; open connections stay. */
  stop(): void;
  /** Also closes open connections. */
  close(): void;
}

/** The only way to reach hosts: terminals, files, tests and the monitor all dial here. */
export function createDialler(options: DiallerOptions): Dialler {
  assertSsh2();
  assertReadAhead();
  const open = new Set<Connection>();
  const dialling = new Set<AbortController>();
  const turns = createTurns(options.clock);
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
        const connection = await dialAll(target, { ...options, ...dial, turns, signal: abort.signal });
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

async function dialAll({ hops, user_id }: SshTarget, dialling: Dialling): Promise<Connection> {
  const { clock, over, signal } = dialling;
  const in_chain = hops.length > 1 || over !== undefined;
  const first_depth = over ? over.depth + 1 : 0;
  const [first, ...others] = hops;
  const dial = (hop: SshHop, before: Pick<Link, 'hop' | 'client'> | undefined, index: number) =>
    dialHop(
      { hop, user_id, before, in_chain, depth: first_depth + index, is_last: index === others.length },
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
