import type { Bell } from '../lib/bell.ts';
import type { AuditChainRow, AuditRecord } from '../model/audit.ts';
import type { FiredEvent } from '../ports/repositories.ts';
import type { Log } from '../ports/runtime.ts';
import { createAuditEnd, type Storable } from './end.ts';
import { createAuditLine, type Entry, isAway } from './line.ts';
import type { AuditChainDeps as OpenDeps } from './open.ts';

const AT_ONCE = 500; // entries stored in one transaction when they come faster than the database takes them

export interface AppendOptions {
  /** What webhooks are to hear of it. */
  readonly event?: FiredEvent | undefined;
  /** False for what does not go on when it cannot be recorded, or is recorded anew. */
  readonly owed?: boolean | undefined;
}

/** The entries of this run of this instance, each covering the one before it. */
export interface AuditChain {
  /** Resolves when the entry is stored. While the database is away it fails, and is owed: written late, in its turn. */
  append(record: AuditRecord, options?: AppendOptions): Promise<void>;
  /** What webhooks are to hear of a deed that has its entry. */
  tell(event: FiredEvent): Promise<void>;
  /** Tries again to write what is owed. */
  settle(): Promise<void>;
  /** The same for the last time. */
  close(): Promise<void>;
  /** Undefined before the first entry. */
  head(): AuditChainRow | undefined;
}

export interface AuditChainDeps extends OpenDeps {
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Rung when webhooks have something to hear. */
  readonly bell?: Pick<Bell, 'ring'>;
}

export function createAuditChain(deps: AuditChainDeps): AuditChain {
  const { bell } = deps;
  const end = createAuditEnd<Entry>(deps);
  const line = createAuditLine(deps.log);
  let writing: Promise<void> | undefined;

  async function storeSome(): Promise<boolean> {
    let batch: readonly Entry[] | undefined;
    try {
      const stored = await end.put(() => {
        batch = line.first(AT_ONCE);
        return batch;
      });
      line.stored(stored);
      if (stored.some(({ event }) => event !== undefined)) bell?.ring();
      return true;
    } catch (error) {
      if (batch && !isAway(error)) return storeEach(batch);
      line.refused(batch, error);
      return false;
    }
  }

  /** What the database refuses of one of them must not take the others along. */
  async function storeEach(batch: readonly Entry[]): Promise<boolean> {
    for (const [index, entry] of batch.entries()) {
      try {
        if (line.has(entry)) await storeAlone(entry); // else it was stored after all, with one before it
      } catch (error) {
        line.refused(isAway(error) ? batch.slice(index) : [entry], error);
        if (isAway(error)) return false;
      }
    }
    return true;
  }

  async function storeAlone(entry: Entry): Promise<void> {
    try {
      await putAlone(entry, entry);
    } catch (error) {
      const { record, event } = entry;
      if (isAway(error) || !record || !event) throw error;
      deps.log.error({ err: error, event: event.event.event }, 'An event cannot be stored for its webhooks');
      await putAlone(entry, { ...entry, event: undefined });
    }
    if (entry.event !== undefined) bell?.ring();
  }

  /** Until it is in: what is told first may be others, of an earlier write whose answer was lost. */
  async function putAlone(entry: Entry, as: Entry): Promise<void> {
    for (;;) {
      const stored = await end.put(() => [as]);
      line.stored(stored.map((one) => (one === as ? entry : one)));
      if (stored.includes(as) || stored.includes(entry)) return;
    }
  }

  async function write(): Promise<void> {
    let goes_on = true;
    while (line.isWaitedFor() || (goes_on && !line.isEmpty())) goes_on = await storeSome();
    writing = undefined;
  }

  async function settle(): Promise<void> {
    if (line.isEmpty()) return;
    writing ??= write();
    await writing;
  }

  function add(storable: Storable, owed?: boolean): Promise<void> {
    const done = line.add(storable, owed);
    void settle();
    return done;
  }

  return {
    append: (record, { event, owed } = {}) => add({ record, event }, owed),
    tell: (event) => add({ record: undefined, event }),
    settle,
    async close() {
      await settle();
      line.giveUp();
    },
    head: end.head,
  };
}
