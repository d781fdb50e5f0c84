import { untilAborted } from '../../lib/time/deadline.ts';
import type { AuditVerdict } from '../../model/audit/audit.ts';
import type { VerificationProgress } from '../../model/audit/verification.ts';
import type { Reading } from './pass.ts';

/** Verifies the log. Requests that come while a verification runs share it; it stops once none of them waits. */
export type Verifier = (reading: Reading) => Promise<AuditVerdict>;

interface Run {
  readonly from: Reading['from'];
  readonly verdict: Promise<AuditVerdict>;
  readonly stop: AbortController;
  readonly watchers: Set<Reading['watch']>;
  waiting: number;
  progress: VerificationProgress | undefined;
}

export function createVerifier(verify: (reading: Reading) => Promise<AuditVerdict>): Verifier {
  let running: Run | undefined;

  /** Begins once the run before it has ended, since both record how far they got. */
  function begin(from: Reading['from'], before: Promise<unknown> | undefined): Run {
    const stop = new AbortController();
    const watchers: Run['watchers'] = new Set();
    const watch = (progress: VerificationProgress) => {
      run.progress = progress;
      for (const one of watchers) one?.(progress);
    };
    const run: Run = {
      ...{ from, stop, watchers, waiting: 0, progress: undefined },
      verdict: Promise.allSettled([before]).then(() => verify({ from, signal: stop.signal, watch })),
    };
    const forget = () => {
      if (running === run) running = undefined;
    };
    run.verdict.then(forget, forget);
    return run;
  }

  /** Joins the running verification if it reads at least as much as requested, and begins another one otherwise. */
  function runFrom(from: Reading['from']): Run {
    if (running && !running.stop.signal.aborted && (running.from === 'start' || from === 'checkpoint'))
      return running;
    running = begin(from, running?.verdict);
    return running;
  }

  return async ({ from = 'start', signal = new AbortController().signal, watch }) => {
    const run = runFrom(from);
    run.waiting += 1;
    if (run.progress) watch?.(run.progress);
    run.watchers.add(watch);
    try {
      return await untilAborted(signal, run.verdict);
    } finally {
      run.watchers.delete(watch);
      run.waiting -= 1;
      if (run.waiting === 0) run.stop.abort();
    }
  };
}
