import type { TransferRow } from './row.ts';

export type Tell = (news: Partial<TransferRow>) => void;

/** The work behind one row of the tray. */
export interface Job {
  /** Starts, resumes or retries. */
  start(): void;
  /** Finished work is kept. */
  stop(): void;
  /** Stops for good and discards the partial transfer. */
  discard(): Promise<void>;
  /** Bytes transferred so far, for the meter. */
  sent(): number;
}

export interface Runner {
  start(): void;
  stop(): void;
}

/** One run at a time: the next starts when the stopped one has settled, which may still finish some work. */
export function createRunner(work: (signal: AbortSignal) => Promise<void>, tell: Tell): Runner {
  let present: AbortController | undefined;
  let last = Promise.resolve();

  async function run(own: AbortController, before: Promise<void>): Promise<void> {
    await before;
    try {
      if (!own.signal.aborted) await work(own.signal);
    } catch (error) {
      if (!own.signal.aborted) tell({ state: 'failed', error });
    } finally {
      if (present === own) present = undefined;
    }
  }

  return {
    start() {
      if (present) return;
      present = new AbortController();
      last = run(present, last);
    },
    stop() {
      present?.abort();
      present = undefined;
    },
  };
}
