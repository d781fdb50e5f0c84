import { createHash } from 'node:crypto';
import { Fault } from '#core/errors.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import type { Dialler } from '../ssh/connect.ts';
import { openPooled, type PooledConnection, type PooledOptions } from './pooled.ts';

export interface Lease {
  readonly connection: PooledConnection;
  /** A dead connection that nobody ended on purpose may be replaced. */
  replaceable(): boolean;
  release(): void;
  /** Another hold on the same connection, for a file that outlives its session. */
  again(): Lease;
}

export interface Pool {
  lease(target: SshTarget): Promise<Lease>;
  drop(server_id: number): void;
  close(): void;
}

export interface PoolOptions extends PooledOptions {
  readonly dialler: Dialler;
}

interface Entry {
  readonly server_ids: ReadonlySet<number>;
  /** Ends the connection, dialled or still being dialled. */
  readonly abort: AbortController;
  readonly opening: Promise<PooledConnection>;
}

/** Connections by target and credentials; simultaneous leases of one target share one dialling. */
export function createPool(options: PoolOptions): Pool {
  const entries = new Map<string, Entry>();
  let closed = false;

  function begin(key: string, target: SshTarget): Entry {
    const abort = new AbortController();
    const opening = openEntry(options, target, abort.signal);
    const server_ids = new Set(target.hops.map(({ server_id }) => server_id));
    const entry: Entry = { server_ids, abort, opening };
    entries.set(key, entry);
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    opening.then((connection) => connection.onEnd(forget), forget);
    return entry;
  }
  function end(key: string, entry: Entry, fault: Fault): void {
    entries.delete(key);
    entry.abort.abort(fault);
  }

  return {
    async lease(target) {
      if (closed) throw new Fault('shutting_down');
      const key = keyOf(target);
      const entry = entries.get(key) ?? begin(key, target);
      return toLease(await entry.opening, entry.abort.signal);
    },
    drop(server_id) {
      for (const [key, entry] of entries) {
        if (entry.server_ids.has(server_id)) end(key, entry, DROPPED());
      }
    },
    close() {
      closed = true;
      for (const [key, entry] of entries) end(key, entry, new Fault('shutting_down'));
    },
  };
}

const DROPPED = () => new Fault('host_disconnected', 'The connection was closed because the server changed');

async function openEntry(
  options: PoolOptions,
  target: SshTarget,
  signal: AbortSignal,
): Promise<PooledConnection> {
  const connection = await options.dialler.connect(target, { signal });
  const close = () => connection.close(signal.reason);
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  return openPooled(connection, options);
}

function toLease(connection: PooledConnection, ended_on_purpose: AbortSignal): Lease {
  connection.hold();
  let held = true;
  return {
    connection,
    replaceable: () => connection.ended() !== undefined && !ended_on_purpose.aborted,
    again: () => toLease(connection, ended_on_purpose),
    release() {
      if (!held) return;
      held = false;
      connection.letGo();
    },
  };
}

/** Credentials take part as a digest: a changed one never meets an old connection, and none is kept here. */
function keyOf({ hops }: SshTarget): string {
  const reached = hops.map(({ host_key: _, ...hop }) => hop); // the first contact pins: it stays the same target
  return createHash('sha256').update(JSON.stringify(reached)).digest('base64');
}
