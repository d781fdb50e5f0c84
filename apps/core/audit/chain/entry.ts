import { hashOfEntry } from '../../crypto/audit-seal.ts';
import type { AuditChainRow, AuditRecord, NewAuditRow } from '../../model/audit/audit.ts';
import type { AuditKey } from '../../ports/repositories/audit.ts';
import type { FiredEvent } from '../../ports/repositories/webhooks.ts';
import { WRITTEN_LATE } from '../phrases.ts';
import type { Place, SpooledEntry } from './spool.ts';

const BATCH_ENTRIES = 500; // per transaction
const BATCH_EVENTS = 50; // each becomes a row for up to 100 webhooks, and SQLite blocks the event loop while it writes

/**
 * `waiting`: the caller awaits the outcome.
 * `late`: the caller was told that it failed because the database was down; the writer retries.
 */
export interface Entry {
  state: 'waiting' | 'late';
  /** Undefined for an event alone. */
  record: AuditRecord | undefined;
  event: FiredEvent | undefined;
  readonly retry: boolean;
  /** Its name, if it may be stored only once. */
  readonly once: string | undefined;
  /** Its key in the spool, once it is there. */
  key: string | undefined;
  /** Where writes without an answer would have stored it. */
  tried: Place[];
  resolve(): void;
  reject(error: unknown): void;
  /** It stays in the spool. */
  leave(): void;
}

export type EntryContent = Pick<Entry, 'record' | 'event' | 'retry' | 'once'>;

export function toWaitingEntry(fields: EntryContent & Pick<Entry, 'resolve' | 'reject'>): Entry {
  return { ...fields, state: 'waiting', key: undefined, tried: [], leave: () => undefined };
}

/** An entry from the spool of another run, and whether it needs its file no longer. */
export function toLateEntry({ key, record, event, once }: SpooledEntry) {
  let done = (_is_done: boolean) => {};
  const is_done = new Promise<boolean>((resolve) => {
    done = resolve;
  });
  const entry: Entry = {
    ...{ state: 'late', retry: true, tried: [], key, record, event, once },
    resolve: () => done(true),
    reject: () => done(true), // the log has it
    leave: () => done(false),
  };
  return { entry, is_done };
}

export function isWaiting({ state }: Entry): boolean {
  return state === 'waiting';
}

export function markLate(entry: Entry): void {
  if (entry.state === 'late') return;
  entry.state = 'late';
  const { record } = entry;
  if (record) entry.record = { ...record, detail: `${record.detail}${record.detail && '; '}${WRITTEN_LATE}` };
}

export function nextBatch(queue: readonly Entry[]): readonly Entry[] {
  const batch = queue.slice(0, BATCH_ENTRIES);
  let events = 0;
  const end = batch.findIndex(({ event }) => {
    events += event ? 1 : 0;
    return events > BATCH_EVENTS;
  });
  return end === -1 ? batch : batch.slice(0, end);
}

/** What an entry that is stored already may be found by. */
export function keysOf({
  key,
  once,
}: {
  readonly key: string | undefined;
  readonly once?: string | undefined;
}): string[] {
  return [key, once].filter((one) => one !== undefined);
}

const NAME_KEPT_MS = 30 * 24 * 60 * 60_000; // a keeper holds a terminal that has ended for two days at most

/**
 * Stored with the entries, so that none is stored twice. Names expire, because every terminal that ends may have one; the
 * file with a key may come back after years.
 */
export function keyRowsOf(batch: readonly Entry[], now: Date): AuditKey[] {
  const expires_at = new Date(now.getTime() + NAME_KEPT_MS).toISOString();
  return batch.flatMap(({ key, once }) => [
    ...(key === undefined ? [] : [{ key, expires_at: null }]),
    ...(once === undefined ? [] : [{ key: once, expires_at }]),
  ]);
}

/** The rows of a batch behind the head of its chain. */
export async function chained(batch: readonly Entry[], before: AuditChainRow): Promise<NewAuditRow[]> {
  const rows: NewAuditRow[] = [];
  let { entries: seq, last_hash: previous } = before;
  for (const { record } of batch) {
    if (!record) continue;
    seq += 1;
    const placed = { ...record, chain_id: before.id, seq };
    previous = await hashOfEntry(placed, previous);
    rows.push({ ...placed, hash: previous });
  }
  return rows;
}

/** Remembers the places of a write that got no answer. */
export function noteTried(batch: readonly Entry[], rows: readonly NewAuditRow[]): void {
  const recorded = batch.filter(({ record }) => record !== undefined);
  for (const [i, { chain_id, seq, hash }] of rows.entries()) recorded[i]?.tried.push({ chain_id, seq, hash });
}
