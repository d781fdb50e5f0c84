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
  dropOwner(owner: string): void;
  close(): void;
}

export interface PoolOptions extends PooledOptions {
  readonly dialler: Dialler;
}

interface Entry {
  /** Of each server on the way. */
  readonly revisions: ReadonlyMap<number, string>;
  readonly owner: string | undefined;
  /** Ends the connection, dialled or still being dialled. */
  readonly abort: AbortController;
  readonly opening: Promise<PooledConnection>;
}

/** Connections by target, credentials and whose they are; simultaneous leases of one target share one dialling. */
export function createPool(options: PoolOptions): Pool {
  const entries = new Map<string, Entry>();
  let closed = false;

  function begin(key: string, target: SshTarget): Entry {
    const abort = new AbortController();
    const opening = openEntry(options, target, abort.signal);
    const entry: Entry = { revisions: revisionsOf(target), owner: target.owner, abort, opening };
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
      return toLease(await entry.opening, entry.abort.signal);
    },
    drop: (server_id) => dropWhere(({ revisions }) => revisions.has(server_id)),
    dropOwner: (whose) => dropWhere(({ owner }) => owner === whose),
    close() {
      closed = true;
      for (const [key, entry] of entries) end(key, entry, new Fault('shutting_down'));
    },
  };
}

const DROPPED = () =>
  new Fault('host_disconnected', 'The connection was closed because the server or a right to it changed');

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
