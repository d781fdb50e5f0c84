import { type AuditSeal, hashOfEntry } from '../crypto/audit-seal.ts';
import { isDatabaseDown } from '../errors.ts';
import type { Bell } from '../lib/bell.ts';
import { randomToken } from '../lib/bytes.ts';
import type { AuditChainRow, AuditRecord, NewAuditRow } from '../model/audit.ts';
import type { FiredEvent } from '../ports/repositories/webhooks.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { checkpointText, uncoveredCheckpoints } from './checkpoints.ts';

const BATCH_ENTRIES = 500; // per transaction
const BATCH_EVENTS = 50; // each becomes a row for up to 100 webhooks, and SQLite blocks the event loop while it writes
const MAX_LATE = 10_000;
const MAX_UNANSWERED = 20; // a statement that outlives its deadline does not outlive that many later ones
const OPEN_ATTEMPTS = 20; // instances that start at the same moment compete for the next chain number

export interface AppendOptions {
  /** Delivered to webhooks; stored in the same transaction. */
  readonly event?: FiredEvent | undefined;
  /** False when the action does not happen without its entry, or when the caller records it again. */
  readonly retry?: boolean | undefined;
}

/** Appends entries to the chain of this run of this instance; each entry covers the one before it. */
export interface AuditChain {
  /** Resolves when the entry is stored. Rejects while the database is down; the entry is then written late unless `retry` is false. */
  append(record: AuditRecord, options?: AppendOptions): Promise<void>;
  /** Stores an event whose action already has its entry. */
  fire(event: FiredEvent): Promise<void>;
  /** Retries late entries. */
  settle(): Promise<void>;
  /** Retries late entries once more, then writes the rest to the log. */
  close(): Promise<void>;
  /** Undefined before the first entry. */
  head(): AuditChainRow | undefined;
}

export interface AuditChainDeps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly seal: AuditSeal;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly instance_id: string;
  /** Rung when webhooks have something to deliver. */
  readonly bell?: Pick<Bell, 'ring'>;
}

export function createAuditChain(deps: AuditChainDeps): AuditChain {
  return new AuditWriter(deps);
}

/**
 * `waiting`: the caller awaits the outcome.
 * `late`: the caller was told that it failed because the database was down; the writer retries.
 */
interface Entry {
  state: 'waiting' | 'late';
  /** Undefined for an event alone. */
  record: AuditRecord | undefined;
  event: FiredEvent | undefined;
  readonly retry: boolean;
  resolve(): void;
  reject(error: unknown): void;
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

class AuditWriter implements AuditChain {
  readonly #deps: AuditChainDeps;
  #queue: Entry[] = [];
  #head: Head = { state: 'unopened' };
  /** Batches whose write got no answer, by the last hash of the chain if they were stored. */
  readonly #unanswered = new Map<string, readonly Entry[]>();
  /** The write loop, while it runs. */
  #writing: Promise<void> | undefined;

  constructor(deps: AuditChainDeps) {
    this.#deps = deps;
  }

  append(record: AuditRecord, { event, retry = true }: AppendOptions = {}): Promise<void> {
    return this.#enqueue({ record, event, retry });
  }

  fire(event: FiredEvent): Promise<void> {
    return this.#enqueue({ record: undefined, event, retry: true });
  }

  async settle(): Promise<void> {
    if (this.#queue.length === 0) return;
    this.#writing ??= this.#writeAll();
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.settle();
    this.#giveUp(this.#queue);
  }

  head(): AuditChainRow | undefined {
    return this.#head.state === 'unopened' ? undefined : this.#head.row;
  }

  #enqueue(fields: Pick<Entry, 'record' | 'event' | 'retry'>): Promise<void> {
    const stored = new Promise<void>((resolve, reject) => {
      this.#queue.push({ state: 'waiting', ...fields, resolve, reject });
    });
    void this.settle();
    return stored;
  }

  // The write loop: until nobody waits, and until the queue is empty as long as the database answers.

  async #writeAll(): Promise<void> {
    let is_up = true;
    while (this.#queue.some(isWaiting) || (is_up && this.#queue.length > 0)) is_up = await this.#writeSome();
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
      this.#fail(batch, error);
      return false;
    }
  }

  /** One by one, so that an entry the database refuses does not fail the others. */
  async #writeEach(batch: readonly Entry[]): Promise<boolean> {
    for (const [index, entry] of batch.entries()) {
      try {
        await this.#writeAlone(entry);
      } catch (error) {
        if (!isDatabaseDown(error)) this.#refuse([entry], error);
        else {
          this.#fail(batch.slice(index), error);
          return false;
        }
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

  /** Repeats while lost answers turn out to be earlier batches that were stored. */
  async #storeAlone(entry: Entry): Promise<void> {
    while (this.#queue.includes(entry)) {
      if (this.#isInDoubt() && (await this.#resolveDoubt())) continue;
      await this.#store([entry]);
    }
  }

  // The head of the chain.

  /** Returns when entries were stored: these, or those of an earlier write whose answer was lost. */
  async #store(batch: readonly Entry[]): Promise<void> {
    if (this.#head.state === 'unopened') this.#head = { state: 'known', row: await openChain(this.#deps) };
    const before = this.#head.row;
    const rows = await chained(batch, before);
    const { seq, hash } = rows.at(-1) ?? { seq: before.entries, hash: before.last_hash };
    const row = await this.#deps.seal.signHead({ ...before, entries: seq, last_hash: hash });
    const events = batch.flatMap(({ event }) => event ?? []);
    try {
      await this.#deps.repositories.audit.append(rows, row, events);
    } catch (error) {
      this.#head = { state: 'in_doubt', row: before };
      if (rows.length > 0) this.#remember(hash, batch); // events alone do not change the head
      if (!(await this.#resolveDoubt().catch(() => false))) throw error;
      return;
    }
    this.#head = { state: 'known', row };
    this.#unanswered.clear();
    this.#settled(batch);
  }

  #isInDoubt(): boolean {
    return this.#head.state === 'in_doubt';
  }

  /**
   * Reads the stored head after a lost answer, and builds only on one that this instance signed.
   * True when it shows that an unanswered batch was stored.
   */
  async #resolveDoubt(): Promise<boolean> {
    if (this.#head.state !== 'in_doubt') return false;
    const { seal, repositories } = this.#deps;
    const row = await repositories.audit.chain(this.#head.row.id);
    const is_genuine = row !== undefined && (await seal.isGenuineHead(row));
    this.#head = is_genuine ? { state: 'known', row } : { state: 'unopened' };
    const stored = is_genuine ? (this.#unanswered.get(row.last_hash) ?? []) : [];
    if (stored.length > 0 || !is_genuine) this.#unanswered.clear();
    this.#settled(stored);
    return stored.length > 0;
  }

  #remember(hash: string, batch: readonly Entry[]): void {
    this.#unanswered.set(hash, batch);
    const [oldest] = this.#unanswered.keys();
    if (this.#unanswered.size > MAX_UNANSWERED && oldest !== undefined) this.#unanswered.delete(oldest);
  }

  // The outcome of entries.

  #settled(entries: readonly Entry[]): void {
    this.#remove(entries);
    for (const { resolve } of entries) resolve();
    if (entries.some(({ event }) => event !== undefined)) this.#deps.bell?.ring();
  }

  /** Fails what waits. When only late entries were tried, everybody who waits behind them fails as well. */
  #fail(tried: readonly Entry[], error: unknown): void {
    const failed = tried.some(isWaiting) ? tried : this.#queue;
    if (!isDatabaseDown(error)) {
      this.#refuse(failed, error);
      return;
    }
    this.#remove(failed.filter(({ retry }) => !retry));
    for (const entry of failed) {
      entry.reject(error);
      markLate(entry);
    }
    this.#giveUp(this.#queue.filter((entry) => !isWaiting(entry)).slice(0, -MAX_LATE)); // the oldest
  }

  /** Entries that will never be stored. */
  #refuse(entries: readonly Entry[], error: unknown): void {
    this.#giveUp(entries);
    for (const { reject } of entries) reject(error);
  }

  #giveUp(entries: readonly Entry[]): void {
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

function isWaiting({ state }: Entry): boolean {
  return state === 'waiting';
}

function markLate(entry: Entry): void {
  if (entry.state === 'late') return;
  entry.state = 'late';
  const { record } = entry;
  if (record) entry.record = { ...record, detail: `${record.detail}${record.detail && '; '}written late` };
}

function nextBatch(queue: readonly Entry[]): readonly Entry[] {
  const batch = queue.slice(0, BATCH_ENTRIES);
  let events = 0;
  const end = batch.findIndex(({ event }) => {
    events += event ? 1 : 0;
    return events > BATCH_EVENTS;
  });
  return end === -1 ? batch : batch.slice(0, end);
}

async function chained(batch: readonly Entry[], before: AuditChainRow): Promise<NewAuditRow[]> {
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

/** Opens a chain whose head records how far the other chains are. */
async function openChain(deps: AuditChainDeps): Promise<AuditChainRow> {
  const { seal, clock, log, instance_id } = deps;
  const { audit } = deps.repositories;
  for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
    const chains = await audit.chains();
    const roll = await audit.roll();
    const is_genuine = roll !== undefined && (await seal.isGenuineRoll(roll));
    if (roll && !is_genuine) {
      log.warn({}, 'The audit log was signed with another secret key: was SERVICE_SECRET_KEY changed?');
    }
    const number = is_genuine ? roll.chains + 1 : numberWithoutRoll(chains, roll !== undefined);
    const chain = await seal.signHead({
      id: randomToken(16),
      number,
      instance_id,
      started_at: clock.now().toISOString(),
      entries: 0,
      last_hash: '',
      witness: checkpointText(uncoveredCheckpoints(chains)),
    });
    if (await audit.openChain(chain, await seal.signRoll(number))) return chain;
  }
  throw new Error('Could not reserve a number for the audit chain');
}

/** Skips a number when the roll is missing or forged, so that verification reports the gap. */
function numberWithoutRoll(chains: readonly AuditChainRow[], is_forged: boolean): number {
  const last = chains.at(-1)?.number ?? 0;
  return last > 0 || is_forged ? last + 2 : 1;
}
