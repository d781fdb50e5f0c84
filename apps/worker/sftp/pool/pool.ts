import { createHash } from 'node:crypto';
import { Fault } from '#core/errors.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import type { Dialler } from '../../ssh/dial/connect.ts';
import { createBudget } from './budget.ts';
import { type PooledConnection, type PooledOptions, toPooled } from './pooled-connection.ts';

// For all transfers together; garbage that is not yet collected comes on top.
const BUDGET_BYTES = 64 * 1024 * 1024;
// Per server: users who sign in with their own credentials get a connection each, which must not exhaust the host.
const MAX_CONNECTIONS = 16;
const BUSY_RETRY_S = 5;

export interface Lease {
  readonly connection: PooledConnection;
  /** A connection that died may be replaced, unless it was closed on purpose. */
  replaceable(): boolean;
  release(): void;
  /** Another lease on the same connection, for a file that outlives its session. */
  share(): Lease;
}

export interface Pool {
  /** Leases a connection on which SFTP has started. */
  lease(target: SshTarget): Promise<Lease>;
  /** Leases a connection, also to a host without SFTP. */
  leaseBare(target: SshTarget): Promise<Lease>;
  drop(server_id: number): void;
  dropOwner(owner: string): void;
  /** Connections, including those being opened. */
  count(): number;
  close(): void;
}

export interface PoolOptions extends Omit<PooledOptions, 'budget'> {
  readonly dialler: Dialler;
}

interface Entry {
  /** The destination. */
  readonly server_id: number | undefined;
  /** Callers that still wait for their lease. */
  pending: number;
  connection: PooledConnection | undefined;
  /** By server on the route. */
  readonly revisions: ReadonlyMap<number, string>;
  readonly owner: string | undefined;
  /** Ends the connection, even while it is being dialled. */
  readonly abort: AbortController;
  readonly opening: Promise<PooledConnection>;
}

/** Connections by target, credentials and owner; simultaneous leases of one target share one dial. */
export function createPool(pool_options: PoolOptions): Pool {
  const options = { ...pool_options, budget: createBudget(BUDGET_BYTES) };
  const entries = new Map<string, Entry>();
  const retired = new Set<Entry>();
  let closed = false;

  function begin(key: string, target: SshTarget): Entry {
    const server_id = target.hops.at(-1)?.server_id;
    const evicted = findEvictable(entries, server_id);
    if (evicted)
      end(
        ...evicted,
        new Fault('host_disconnected', 'The idle connection was closed to make room for another'),
      );
    const abort = new AbortController();
    const overdue = () => {
      if (entry.connection) retire(key, entry.connection);
    };
    const opening = openEntry({ ...options, overdue }, target, abort.signal);
    const whose = { server_id, revisions: revisionsOf(target), owner: target.owner };
    const entry: Entry = { ...whose, abort, opening, pending: 0, connection: undefined };
    entries.set(key, entry);
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
      retired.delete(entry);
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
  /** The host no longer answers on it, or starts no SFTP: its work may go on, but the next lease dials. */
  function retire(key: string, connection: PooledConnection): void {
    const entry = entries.get(key);
    if (entry?.connection !== connection) return;
    entries.delete(key);
    retired.add(entry);
    connection.retire();
  }
  function dropWhere(matches: (entry: Entry) => boolean): void {
    for (const [key, entry] of entries) if (matches(entry)) end(key, entry, DROPPED());
    for (const entry of retired) if (matches(entry)) entry.abort.abort(DROPPED());
  }
  /** Another instance may have edited a server or cleared its host key; the next lease shows the new revision. */
  function dropOutdated(target: SshTarget): void {
    const current = revisionsOf(target);
    const isOther = ([id, revision]: [number, string]) => (current.get(id) ?? revision) !== revision;
    dropWhere(({ revisions }) => [...revisions].some(isOther));
  }

  async function lease(target: SshTarget): Promise<Lease> {
    const leased = await leaseBare(target);
    try {
      await leased.connection.sftp();
      return leased;
    } catch (error) {
      retire(keyOf(target), leased.connection);
      leased.release();
      throw error;
    }
  }
  async function leaseBare(target: SshTarget): Promise<Lease> {
    if (closed) throw new Fault('shutting_down');
    dropOutdated(target);
    const key = keyOf(target);
    const entry = entries.get(key) ?? begin(key, target);
    if (entries.delete(key)) entries.set(key, entry); // keeps the map in order of last use
    entry.pending += 1;
    const leased = await entry.opening
      .then((connection) => toLease(connection, entry.abort.signal))
      .finally(() => {
        entry.pending -= 1;
      });
    if ((await leased.connection.isAlive()) || entry.abort.signal.aborted) return leased;
    retire(key, leased.connection);
    leased.release();
    return leaseBare(target); // a connection just dialled is not asked
  }

  return {
    lease,
    leaseBare,
    drop: (server_id) => dropWhere(({ revisions }) => revisions.has(server_id)),
    dropOwner: (whose) => dropWhere(({ owner }) => owner === whose),
    count: () => entries.size + retired.size,
    close() {
      closed = true;
      for (const [key, entry] of entries) end(key, entry, new Fault('shutting_down'));
      for (const entry of retired) entry.abort.abort(new Fault('shutting_down'));
    },
  };
}

/** The idle connection to close before another is opened, if the limit is reached. */
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
  new Fault('host_disconnected', 'The connection was closed because the server or the access to it changed');

async function openEntry(
  options: PoolOptions & PooledOptions,
  target: SshTarget,
  signal: AbortSignal,
): Promise<PooledConnection> {
  const connection = await options.dialler.connect(target, { signal });
  const close = () => connection.close(signal.reason);
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  return toPooled(connection, options);
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

/** A digest that includes the credentials: changed ones never reuse a connection, and none are stored here. */
function keyOf({ hops, owner }: SshTarget): string {
  const reached = hops.map(({ known_host_keys: _, ...hop }) => hop); // the first contact pins a key, and the target stays the same
  return createHash('sha256')
    .update(JSON.stringify([owner, reached]))
    .digest('base64');
}
