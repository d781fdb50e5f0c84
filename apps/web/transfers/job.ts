import type { TransferRow } from './row.ts';

export type Tell = (news: Partial<TransferRow>) => void;

/** What is behind one line of the tray. */
export interface Job {
  /** Begins, goes on or tries again. */
  start(): void;
  /** What is done stays done. */
  stop(): void;
  /** Stops for good and removes what is half done. */
  discard(): Promise<void>;
  /** Bytes so far, for the meter. */
  sent(): number;
}

export interface Runner {
  start(): void;
  stop(): void;
}

/** One run at a time: the next one begins when the one that was stopped is over, which may have done some more. */
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
