import type { AuditSeal } from '../../crypto/audit-seal.ts';
import { isDatabaseDown } from '../../errors.ts';
import type { Bell } from '../../lib/concurrency/bell.ts';
import type { AuditChainRow, AuditRecord } from '../../model/audit/audit.ts';
import type { FiredEvent } from '../../ports/repositories/webhooks.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { AppendOptions, AuditChain } from './appends.ts';
import {
  chained,
  type Entry,
  type EntryContent,
  isWaiting,
  keyRowsOf,
  keysOf,
  markLate,
  nextBatch,
  noteTried,
  toLateEntry,
  toWaitingEntry,
} from './entry.ts';
import { openChain, storedHead } from './open-chain.ts';
import type { Spool, SpooledEntry } from './spool.ts';

const MAX_LATE = 10_000;
const MAX_UNANSWERED = 20; // a statement that outlives its deadline does not outlive that many later ones

export interface AuditChainDeps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly seal: AuditSeal;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly instance_id: string;
  /** Rung when webhooks have something to deliver. */
  readonly bell?: Pick<Bell, 'ring'>;
  /** Keeps late entries on disk. */
  readonly spool?: Pick<Spool, 'keep' | 'clear'>;
}

export function createAuditChain(deps: AuditChainDeps): AuditChain {
  return new Chain(deps);
}

/**
 * What this process knows about the head of its chain.
 * `unopened`: the next write opens a chain.
 * `known`: the next write builds on it.
 * `in_doubt`: the write after it got no answer; the stored head must be read before the next write.
 */
type Head =
  | { readonly state: 'unopened' }
  | { readonly state: 'known' | 'in_doubt'; readonly row: AuditChainRow };

class Chain implements AuditChain {
  readonly #deps: AuditChainDeps;
  #queue: Entry[] = [];
  #head: Head = { state: 'unopened' };
  /** The head in memory of the last chain with entries that this process had to leave. */
  #ended: AuditChainRow | undefined;
  /** Batches whose write got no answer, by the last hash of the chain if they were stored. */
  readonly #unanswered = new Map<string, readonly Entry[]>();
  /** The write loop, while it runs. */
  #writing: Promise<void> | undefined;
  /** Entries that left the queue without being stored, and are only in the spool. */
  #left = 0;

  constructor(deps: AuditChainDeps) {
    this.#deps = deps;
  }

  append(record: AuditRecord, { event, retry = true, once }: AppendOptions = {}): Promise<void> {
    return this.#enqueue({ record, event, retry, once });
  }

  fire(event: FiredEvent): Promise<void> {
    return this.#enqueue({ record: undefined, event, retry: true, once: undefined });
  }

  adopt(entries: readonly SpooledEntry[]): Promise<boolean>[] {
    const adopted = entries.map(toLateEntry);
    this.#queue = [...adopted.map(({ entry }) => entry), ...this.#queue];
    void this.#write();
    return adopted.map(({ is_done }) => is_done);
  }

  async settle(): Promise<void> {
    await this.#writing; // which may have failed before this call
    await this.#write();
  }

  async close(): Promise<void> {
    await this.settle();
    this.#giveUp(this.#queue);
    if (this.#left > 0)
      this.#deps.log.warn({ count: this.#left }, 'Audit entries wait on disk for the next start');
  }

  head(): AuditChainRow | undefined {
    return this.#head.state === 'unopened' ? this.#ended : this.#head.row;
  }

  #enqueue(fields: EntryContent): Promise<void> {
    const stored = new Promise<void>((resolve, reject) => {
      this.#queue.push(toWaitingEntry({ ...fields, resolve, reject }));
    });
    void this.#write();
    return stored;
  }

  async #write(): Promise<void> {
    if (this.#queue.length > 0) this.#writing ??= this.#writeAll();
    await this.#writing;
  }

  // The write loop: until nobody waits, and until the queue is empty as long as the database answers.

  async #writeAll(): Promise<void> {
    let is_up = true;
    while (this.#queue.some(isWaiting) || (is_up && this.#queue.length > 0)) {
      is_up = await this.#writeSome();
      if (this.#left === 0 && !this.#queue.some(({ key }) => key)) await this.#deps.spool?.clear();
    }
    this.#writing = undefined;
  }

  /** Stores one batch; false while the database is down. */
  async #writeSome(): Promise<boolean> {
    let batch: readonly Entry[] = [];
    try {
      if (this.#isInDoubt() && (await this.#resolveDoubt())) return true;
      batch = nextBatch(this.#queue);
      await this.#store(batch);
      return true;
    } catch (error) {
      if (batch.length > 0 && !isDatabaseDown(error)) return this.#writeEach(batch);
      await this.#fail(batch, error);
      return false;
    }
  }

  /** One by one, so that an entry the database refuses does not fail the others. */
  async #writeEach(batch: readonly Entry[]): Promise<boolean> {
    for (const [index, entry] of batch.entries()) {
      try {
        await this.#writeAlone(entry);
      } catch (error) {
        if (isDatabaseDown(error)) {
          await this.#fail(batch.slice(index), error);
          return false;
        }
        if (await this.#isStored(entry)) this.#settled([entry]);
        else this.#refuse([entry], error);
      }
    }
    return true;
  }

  /** An event that cannot be stored does not fail its entry. */
  async #writeAlone(entry: Entry): Promise<void> {
    try {
      await this.#storeAlone(entry);
    } catch (error) {
      const { record, event } = entry;
      if (isDatabaseDown(error) || !record || !event) throw error;
      this.#deps.log.error(
        { err: error, event: event.event.event },
        'Storing an event for its webhooks failed',
      );
      entry.event = undefined;
      await this.#storeAlone(entry);
    }
  }

  /** Another instance took this one for ended and stored the entry from its spool, or an earlier process recorded it. */
  async #isStored(entry: Entry): Promise<boolean> {
    const stored = await this.#deps.repositories.audit.storedKeys(keysOf(entry)).catch(() => []);
    return stored.length > 0;
  }

  /** Repeats while lost answers turn out to be earlier batches that were stored. */
  async #storeAlone(entry: Entry): Promise<void> {
    while (this.#queue.includes(entry)) {
      if (this.#isInDoubt() && (await this.#resolveDoubt())) continue;
      await this.#store([entry]);
    }
  }

  /** Returns when entries were stored: these, or those of an earlier write whose answer was lost. */
  async #store(batch: readonly Entry[]): Promise<void> {
    if (this.#head.state === 'unopened') {
      this.#head = { state: 'known', row: await openChain(this.#deps, this.#ended) };
    }
    const before = this.#head.row;
    const rows = await chained(batch, before);
    const { seq, hash } = rows.at(-1) ?? { seq: before.entries, hash: before.last_hash };
    const row = await this.#deps.seal.signHead({ ...before, entries: seq, last_hash: hash });
    const events = batch.flatMap(({ event }) => event ?? []);
    const keys = keyRowsOf(batch, this.#deps.clock.now());
    let is_due = false;
    try {
      is_due = await this.#deps.repositories.audit.append(rows, row, events, keys);
    } catch (error) {
      this.#head = { state: 'in_doubt', row: before };
      noteTried(batch, rows);
      if (rows.length > 0) this.#remember(hash, batch); // events alone do not change the head
      if (!(await this.#resolveDoubt().catch(() => false))) throw error;
      return;
    }
    this.#head = { state: 'known', row };
    this.#unanswered.clear();
    this.#settled(batch, is_due);
  }

  #isInDoubt(): boolean {
    return this.#head.state === 'in_doubt';
  }

  /**
   * Reads the stored head after a lost answer, and builds only on the one in memory or that of an unanswered batch:
   * an older one, though signed, would hide what was stored after it. True when an unanswered batch was stored.
   */
  async #resolveDoubt(): Promise<boolean> {
    if (this.#head.state !== 'in_doubt') return false;
    const before = this.#head.row;
    const row = await storedHead(this.#deps, before, [...this.#unanswered.keys()]);
    this.#head = row ? { state: 'known', row } : { state: 'unopened' };
    if (!row && before.entries > 0) this.#ended = before;
    const stored = row ? (this.#unanswered.get(row.last_hash) ?? []) : [];
    if (stored.length > 0 || !row) this.#unanswered.clear();
    this.#settled(stored);
    return stored.length > 0;
  }

  #remember(hash: string, batch: readonly Entry[]): void {
    this.#unanswered.set(hash, batch);
    const [oldest] = this.#unanswered.keys();
    if (this.#unanswered.size > MAX_UNANSWERED && oldest !== undefined) this.#unanswered.delete(oldest);
  }

  // The outcome of entries.

  #settled(entries: readonly Entry[], is_due = entries.some(({ event }) => event !== undefined)): void {
    this.#remove(entries);
    for (const { resolve } of entries) resolve();
    if (is_due) this.#deps.bell?.ring();
  }

  /** Fails what waits. When only late entries were tried, everybody who waits behind them fails as well. */
  async #fail(tried: readonly Entry[], error: unknown): Promise<void> {
    const failed = tried.some(isWaiting) ? tried : this.#queue;
    if (!isDatabaseDown(error)) {
      this.#refuse(failed, error);
      return;
    }
    const waiting = failed.filter(isWaiting);
    this.#remove(waiting.filter(({ retry }) => !retry));
    const late = waiting.filter(({ retry }) => retry);
    for (const entry of late) markLate(entry);
    await this.#keep(late); // before the callers hear of it
    for (const { reject } of waiting) reject(error);
    this.#giveUp(this.#queue.filter((entry) => !isWaiting(entry)).slice(0, -MAX_LATE)); // the oldest
  }

  async #keep(entries: readonly Entry[]): Promise<void> {
    const { spool } = this.#deps;
    if (!spool || entries.length === 0) return;
    const chain_id = this.head()?.id ?? null;
    const lines = entries.map(({ record, event, tried, once }) => ({ chain_id, record, event, tried, once }));
    const keys = await spool.keep(lines);
    for (const [i, entry] of entries.entries()) entry.key = keys?.[i];
  }

  /** Entries that will never be stored. */
  #refuse(entries: readonly Entry[], error: unknown): void {
    this.#logAndRemove(entries);
    for (const { reject } of entries) reject(error);
  }

  /** What is in the spool stays there until the next start. */
  #giveUp(entries: readonly Entry[]): void {
    const left = entries.filter(({ key }) => key !== undefined);
    this.#left += left.length;
    for (const { leave } of left) leave();
    this.#remove(left);
    this.#logAndRemove(entries.filter(({ key }) => key === undefined));
  }

  #logAndRemove(entries: readonly Entry[]): void {
    for (const { record, event } of entries) {
      this.#deps.log.error({ record, event }, 'An audit entry could not be written');
    }
    this.#remove(entries);
  }

  #remove(entries: readonly Entry[]): void {
    const gone = new Set(entries);
    this.#queue = this.#queue.filter((entry) => !gone.has(entry));
  }
}
