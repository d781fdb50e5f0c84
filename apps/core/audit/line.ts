import { Fault, type FaultCode } from '../errors.ts';
import type { AuditRecord } from '../model/audit.ts';
import type { Log } from '../ports/runtime.ts';
import type { Storable } from './end.ts';

const MOST_OWED = 10_000;
const MOST_EVENTS = 50; // each is a row for each of up to 100 webhooks, and SQLite holds up the event loop meanwhile
const AWAY: ReadonlySet<FaultCode> = new Set(['database_unavailable', 'database_full']);

export interface Entry extends Storable {
  record: AuditRecord | undefined;
  readonly owed: boolean;
  /** Whoever asked for it was told that it failed. */
  is_late: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** What is to be stored, in the order of asking; what is owed stays until it is. */
export interface AuditLine {
  /** Resolves when it is stored, rejects when it could not be. */
  add(storable: Storable, owed?: boolean): Promise<void>;
  first(most: number): readonly Entry[];
  stored(entries: readonly Entry[]): void;
  /** Undefined: nobody had a try. */
  refused(entries: readonly Entry[] | undefined, error: unknown): void;
  has(entry: Entry): boolean;
  isEmpty(): boolean;
  isWaitedFor(): boolean;
  /** Leaves all of it to the log. */
  giveUp(): void;
}

export function createAuditLine(log: Pick<Log, 'error'>): AuditLine {
  let line: Entry[] = [];

  function remove(entries: readonly Entry[]): void {
    const gone = new Set(entries);
    line = line.filter((entry) => !gone.has(entry));
  }

  function giveUp(entries: readonly Entry[]): void {
    remove(entries);
    for (const { record, event } of entries) {
      log.error({ record, event }, 'An audit entry could not be written');
    }
  }

  function refuse(entries: readonly Entry[], error: unknown): void {
    const is_away = isAway(error);
    const lost = entries.filter(({ owed }) => !is_away || !owed);
    giveUp(lost.filter(({ is_late }) => is_late || !is_away)); // of others, whoever asked for it is told
    remove(lost);
    for (const entry of entries) {
      entry.reject(error);
      markLate(entry);
    }
    giveUp(line.filter(({ is_late }) => is_late).slice(0, -MOST_OWED));
  }

  return {
    add: (storable, owed = true) =>
      new Promise((resolve, reject) => {
        line.push({ ...storable, owed, is_late: false, resolve, reject });
      }),
    first(most) {
      const batch = line.slice(0, most);
      let events = 0;
      const end = batch.findIndex(({ event }) => {
        events += event ? 1 : 0;
        return events > MOST_EVENTS;
      });
      return end === -1 ? batch : batch.slice(0, end);
    },
    stored(entries) {
      remove(entries);
      for (const { resolve } of entries) resolve();
    },
    refused(entries, error) {
      // Nobody waits until all that is owed before has had its try.
      refuse(entries?.some(isNew) ? entries : line, error);
    },
    has: (entry) => line.includes(entry),
    isEmpty: () => line.length === 0,
    isWaitedFor: () => line.some(isNew),
    giveUp: () => giveUp(line),
  };
}

/** Then what was to be written is owed. */
export function isAway(error: unknown): boolean {
  return error instanceof Fault && AWAY.has(error.code);
}

function isNew({ is_late }: Entry): boolean {
  return !is_late;
}

function markLate(entry: Entry): void {
  if (entry.is_late) return;
  entry.is_late = true;
  const { record } = entry;
  if (record) entry.record = { ...record, detail: `${record.detail}${record.detail && '; '}written late` };
}
