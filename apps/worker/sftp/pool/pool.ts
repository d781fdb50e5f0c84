import { createHash } from 'node:crypto';
import { Fault } from '#core/errors.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import type { Dialler } from '../../ssh/dial/connect.ts';
import { createBudget } from './budget.ts';
import { openPooled, type PooledConnection, type PooledOptions } from './pooled-connection.ts';

// For all transfers together; what the JavaScript heap adds before it is collected comes on top.
const BUDGET_BYTES = 64 * 1024 * 1024;
// Of people who each sign in to it themselves; what they leave open must not fill the host.
const MAX_CONNECTIONS = 16;
const BUSY_RETRY_S = 5;

export interface Lease {
  readonly connection: PooledConnection;
  /** A dead connection that nobody ended on purpose may be replaced. */
  replaceable(): boolean;
  release(): void;
  /** Another hold on the same connection, for a file that outlives its session. */
  share(): Lease;
}

export interface Pool {
  lease(target: SshTarget): Promise<Lease>;
  drop(server_id: number): void;
  dropOwner(owner: string): void;
  /** Connections, those that are being opened included. */
  count(): number;
  close(): void;
}

export interface PoolOptions extends Omit<PooledOptions, 'budget'> {
  readonly dialler: Dialler;
}

interface Entry {
  /** The destination. */
  readonly server_id: number | undefined;
  /** Those who have asked for it and not got it yet. */
  pending: number;
  connection: PooledConnection | undefined;
  /** Of each server on the way. */
  readonly revisions: ReadonlyMap<number, string>;
  readonly owner: string | undefined;
  /** Ends the connection, dialled or still being dialled. */
  readonly abort: AbortController;
  readonly opening: Promise<PooledConnection>;
}

/** Connections by target, credentials and whose they are; simultaneous leases of one target share one dialling. */
export function createPool(pool_options: PoolOptions): Pool {
  const options = { ...pool_options, budget: createBudget(BUDGET_BYTES) };
  const entries = new Map<string, Entry>();
  let closed = false;

  function begin(key: string, target: SshTarget): Entry {
    const server_id = target.hops.at(-1)?.server_id;
    const evicted = findEvictable(entries, server_id);
    if (evicted) end(...evicted, new Fault('host_disconnected', 'The idle connection made room for another'));
    const abort = new AbortController();
    const opening = openEntry(options, target, abort.signal);
    const whose = { server_id, revisions: revisionsOf(target), owner: target.owner };
    const entry: Entry = { ...whose, abort, opening, pending: 0, connection: undefined };
    entries.set(key, entry);
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    opening.then((connection) => {
      entry.connection = connection;
      connection.onEnd(forget);
    }, forget);
    return entry;
  }
  function end(key: string, entry: Entry, fault: Fault): void {
    entries.delete(key);
    entry.abort.abort(fault);
  }
  function dropWhere(matches: (entry: Entry) => boolean): void {
    for (const [key, entry] of entries) if (matches(entry)) end(key, entry, DROPPED());
  }
  /** Another instance may have edited a record or cleared a pin: this one sees it in what is asked for next. */
  function dropOutdated(target: SshTarget): void {
    const current = revisionsOf(target);
    const isOther = ([id, revision]: [number, string]) => (current.get(id) ?? revision) !== revision;
    dropWhere(({ revisions }) => [...revisions].some(isOther));
  }

  return {
    async lease(target) {
      if (closed) throw new Fault('shutting_down');
      dropOutdated(target);
      const key = keyOf(target);
      const entry = entries.get(key) ?? begin(key, target);
      if (entries.delete(key)) entries.set(key, entry); // the last in the order is the one used last
      entry.pending += 1;
      try {
        return toLease(await entry.opening, entry.abort.signal);
      } finally {
        entry.pending -= 1;
      }
    },
    drop: (server_id) => dropWhere(({ revisions }) => revisions.has(server_id)),
    dropOwner: (whose) => dropWhere(({ owner }) => owner === whose),
    count: () => entries.size,
    close() {
      closed = true;
      for (const [key, entry] of entries) end(key, entry, new Fault('shutting_down'));
    },
  };
}

/** Which connection has to make room for one more, if any. */
function findEvictable(
  entries: ReadonlyMap<string, Entry>,
  server_id: number | undefined,
): [string, Entry] | undefined {
  const present = [...entries].filter(([, entry]) => entry.server_id === server_id);
  if (present.length < MAX_CONNECTIONS) return undefined;
  const longest_idle = present.find(([, entry]) => isIdle(entry));
  if (!longest_idle) throw new Fault('host_busy', undefined, { retry_after: BUSY_RETRY_S });
  return longest_idle;
}

function isIdle({ pending: awaited, connection }: Entry): boolean {
  return awaited === 0 && connection !== undefined && !connection.is_held();
}

const DROPPED = () =>
  new Fault('host_disconnected', 'The connection was closed because the server or a right to it changed');

async function openEntry(
  options: PoolOptions & PooledOptions,
  target: SshTarget,
  signal: AbortSignal,
): Promise<PooledConnection> {
  const connection = await options.dialler.connect(target, { signal });
  const close = () => connection.close(signal.reason);
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  return openPooled(connection, options);
}

function toLease(connection: PooledConnection, closed: AbortSignal): Lease {
  connection.hold();
  let held = true;
  return {
    connection,
    replaceable: () => connection.ended() !== undefined && !closed.aborted,
    share: () => toLease(connection, closed),
    release() {
      if (!held) return;
      held = false;
      connection.release();
    },
  };
}

function revisionsOf({ hops }: SshTarget): Map<number, string> {
  return new Map(hops.map(({ server_id, revision }) => [server_id, revision]));
}

/** Credentials take part as a digest: a changed one never meets an old connection, and none is kept here. */
function keyOf({ hops, owner }: SshTarget): string {
  const reached = hops.map(({ known_host_keys: _, ...hop }) => hop); // the first contact pins: it stays the same target
  return createHash('sha256')
    .update(JSON.stringify([owner, reached]))
    .digest('base64');
}
