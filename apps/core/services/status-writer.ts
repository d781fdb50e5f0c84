import type { ServerStatusRow } from '../model/server-status.ts';
import type { Clock, Log } from '../ports/runtime.ts';

const MOST_AT_ONCE = 100;
const LONGEST_WAIT_MS = 500;

/** Stores statuses in groups: a statement for each would keep a small database busy. */
export interface StatusWriter {
  write(row: ServerStatusRow): void;
  /** Resolves when all is stored, or could not be. */
  finish(): Promise<void>;
}

interface Deps {
  readonly save: (rows: readonly ServerStatusRow[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createStatusWriter({ save, clock, log }: Deps): StatusWriter {
  let waiting: ServerStatusRow[] = [];
  let cancel: (() => void) | undefined;
  let saving = Promise.resolve();

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const rows = waiting;
    waiting = [];
    if (rows.length > 0) saving = saving.then(() => store(rows));
  }

  /** What is lost here is found out again by the next round. */
  async function store(rows: readonly ServerStatusRow[]): Promise<void> {
    try {
      await save(rows);
    } catch (err) {
      log.warn({ err, servers: rows.length }, 'Statuses of servers could not be stored');
    }
  }

  return {
    write(row) {
      waiting.push(row);
      if (waiting.length >= MOST_AT_ONCE) flush();
      else cancel ??= clock.after(LONGEST_WAIT_MS, flush);
    },
    async finish() {
      flush();
      await saving;
    },
  };
}
