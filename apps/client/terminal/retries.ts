const DELAYS_MS = [300, 1000, 2000, 4000, 8000];
const LONGEST_DELAY_MS = 10_000;
const JITTER = 0.2; // so that clients do not all reconnect at once
const STEADY_MS = 5000; // a connection that drops sooner counts as another failure

export interface Retry {
  readonly attempt: number;
  /** By `Date.now()`. */
  readonly next_at: number;
}

export interface Retries {
  /** Plans the next attempt. */
  plan(): Retry;
  /** Starts the planned attempt now; false if none is planned. */
  hurry(): boolean;
  attempts(): number;
  succeeded(): void;
  stop(): void;
}

/** Retries with a growing delay. */
export function createRetries(attempt: () => void): Retries {
  let attempts = 0;
  let steady_at: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function run(): void {
    stop();
    attempt();
  }

  return {
    plan() {
      stop();
      if (steady_at !== undefined && Date.now() >= steady_at) attempts = 0;
      steady_at = undefined;
      const delay = delayAfter(attempts);
      attempts += 1;
      timer = setTimeout(run, delay);
      return { attempt: attempts, next_at: Date.now() + delay };
    },
    hurry() {
      if (timer === undefined) return false;
      run();
      return true;
    },
    attempts: () => attempts,
    succeeded() {
      stop();
      steady_at = Date.now() + STEADY_MS;
    },
    stop,
  };
}

function delayAfter(failures: number): number {
  const delay = DELAYS_MS[failures] ?? LONGEST_DELAY_MS;
  return delay * (1 - JITTER + 2 * JITTER * Math.random());
}
