import { pause } from '#core/lib/time/deadline.ts';
import { type After, systemAfter } from '#core/lib/time/timers.ts';

const SUSPICIOUS_MS = 2000; // most statements take a few milliseconds
const PAUSE_MS = 250;

export interface Breaker {
  /** Whether the database has left the last probe unanswered. */
  isOpen(): boolean;
  /** Watches a wait for the database: a long one starts a probe. The returned function ends the watch. */
  watch(): () => void;
  /** Ends the probing. */
  stop(): void;
}

/**
 * A circuit breaker: while a frozen or unreachable database answers nothing, callers learn it at once instead of after
 * their deadline. One slow statement opens nothing, because the probe does not wait for it.
 */
export function createBreaker(answers: () => Promise<boolean>, after: After = systemAfter): Breaker {
  const stopped = new AbortController();
  let is_open = false;
  let is_probing = false;

  async function probe(): Promise<void> {
    if (is_probing) return;
    is_probing = true;
    while (!stopped.signal.aborted) {
      is_open = !(await answers());
      if (!is_open) break;
      await pause(after, PAUSE_MS, stopped.signal);
    }
    is_probing = false;
  }

  return {
    isOpen: () => is_open,
    watch: () => after(SUSPICIOUS_MS, () => void probe()),
    stop: () => stopped.abort(),
  };
}
