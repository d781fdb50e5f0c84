import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { BatchOutcome } from './batch.ts';
import type { Progress } from './changes.ts';

export interface BatchRun {
  readonly running: Accessor<{ readonly finished: number; readonly total: number } | undefined>;
  /** Failures of the last run, if any. */
  readonly outcome: Accessor<BatchOutcome | undefined>;
  readonly cancelled: Accessor<boolean>;
  /** Returns whether everything was done. */
  start(total: number, work: (progress: Progress) => Promise<BatchOutcome>): Promise<boolean>;
  cancel(): void;
}

/** Runs many operations as one, with progress. They are canceled when the view that started them goes away. */
export function createBatchRun(): BatchRun {
  const [running, setRunning] = createSignal<{ finished: number; total: number }>();
  const [outcome, setOutcome] = createSignal<BatchOutcome>();
  const [cancelled, setCancelled] = createSignal(false);
  let present: AbortController | undefined;
  const cancel = () => present?.abort();
  onCleanup(cancel);
  return {
    running,
    outcome,
    cancelled,
    cancel,
    async start(total, work) {
      const own = new AbortController();
      present = own;
      setOutcome(undefined);
      setRunning({ finished: 0, total });
      try {
        const onProgress = (finished: number) => setRunning({ finished, total });
        const result = await work({ signal: own.signal, onProgress });
        const is_whole = result.failures.length === 0 && result.left.length === 0;
        setCancelled(own.signal.aborted);
        if (!is_whole) setOutcome(result);
        return is_whole;
      } finally {
        setRunning(undefined);
      }
    },
  };
}
