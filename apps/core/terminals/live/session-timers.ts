import type { Clock } from '../../ports/runtime.ts';

const REMAINING_OUTPUT_MS = 60_000; // to receive the last output over a slow connection
const MAX_REMAINING_OUTPUT_MS = 15 * 60_000; // in total, however often the owner reconnects

export interface IdleTimer {
  /** There was input or output. */
  active(): void;
  last_activity(): Date;
  /** Starts the timer, also after a change of the limit. */
  start(): void;
  stop(): void;
}

export function createIdleTimer(
  clock: Clock,
  idle_ms: () => number | undefined,
  onIdle: () => void,
): IdleTimer {
  let active_ms = clock.elapsed_ms();
  let reported: { readonly active_ms: number; readonly at: Date } | undefined;
  let cancel: (() => void) | undefined;

  function start(): void {
    cancel?.();
    const limit_ms = idle_ms();
    if (limit_ms === undefined) return;
    const left_ms = active_ms + limit_ms - clock.elapsed_ms();
    cancel = clock.after(Math.max(1, left_ms), () => {
      if (clock.elapsed_ms() - active_ms >= limit_ms) onIdle();
      else start();
    });
  }

  return {
    active() {
      active_ms = clock.elapsed_ms();
    },
    last_activity() {
      if (reported?.active_ms !== active_ms) {
        const at = new Date(clock.now().getTime() - (clock.elapsed_ms() - active_ms));
        reported = { active_ms, at }; // the same activity always has the same time
      }
      return reported.at;
    },
    start,
    stop: () => cancel?.(),
  };
}

export interface OwnerTimer {
  /** Waits for the owner to come back, for at least `min_ms`; `waited_ms` have already passed. */
  start(min_ms: number, waited_ms?: number): void;
  /** Gives an owner who is connected time to receive the remaining output. */
  startForRemainingOutput(): void;
  /** Applies a changed limit. */
  restart(): void;
  /** The owner has received more. */
  progressed(): void;
  /** The shell has ended: from now on the total time is limited. */
  limitTotal(): void;
  cancel(): void;
}

interface OwnerTimerDeps {
  readonly clock: Clock;
  readonly resume_ms: () => number;
  /** Whether the owner is still receiving the remaining output, given that there was progress or not. */
  readonly isReceiving: (has_progress: boolean) => boolean;
  readonly onExpired: () => void;
}

export function createOwnerTimer({ clock, resume_ms, isReceiving, onExpired }: OwnerTimerDeps): OwnerTimer {
  let waiting = { since_ms: 0, min_ms: 0 };
  let latest_ms = Number.POSITIVE_INFINITY;
  let has_progress = false;
  let cancel: (() => void) | undefined;

  function restart(): void {
    cancel?.();
    const until_ms = Math.min(waiting.since_ms + Math.max(waiting.min_ms, resume_ms()), latest_ms);
    cancel = clock.after(Math.max(0, until_ms - clock.elapsed_ms()), () => {
      if (isReceiving(has_progress) && clock.elapsed_ms() < latest_ms) start(REMAINING_OUTPUT_MS);
      else onExpired();
    });
  }

  function start(min_ms: number, waited_ms = 0): void {
    has_progress = false;
    waiting = { since_ms: clock.elapsed_ms() - waited_ms, min_ms: min_ms + waited_ms };
    restart();
  }

  return {
    start,
    startForRemainingOutput: () => start(REMAINING_OUTPUT_MS),
    restart,
    progressed() {
      has_progress = true;
    },
    limitTotal() {
      latest_ms = clock.elapsed_ms() + Math.max(MAX_REMAINING_OUTPUT_MS, resume_ms());
    },
    cancel: () => cancel?.(),
  };
}
