import { Fault } from '../errors.ts';
import { createFairSlots } from '../lib/concurrency/fair-slots.ts';
import { joinSignals } from '../lib/concurrency/joined-signal.ts';
import { startDeadline, untilAborted } from '../lib/time/deadline.ts';
import type { After } from '../lib/time/timers.ts';
import { LARGE_ANSWER_BYTES } from '../limits.ts';

const AT_ONCE = 4; // each may hold the 128 MiB of a listing
const OF_ONE_USER = 2;
const WAITING = 1000; // of all users
const WAITING_OF_ONE_USER = 100;
const WAIT_MS = 60_000; // proxies give up after a minute
const LONGEST_MS = 5 * 60_000; // a host may send entry after entry without end
const RETRY_S = 5;

export interface AnswerTurn {
  readonly user_id: number;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** Aborts when the caller has the answer, or will not take it; without it, nobody holds the answer. */
  readonly answered?: AbortSignal | undefined;
}

/** Called with the size so far; waits for a turn once the answer is large, and throws when nobody waits for it. */
export type Grow = (bytes: number) => Promise<void>;

/**
 * Makes an answer that may be large. Large ones take turns over the whole process, and keep their turn until the caller
 * has them. Throws `rate_limited` for a user who has too many of them.
 */
export type LargeAnswers = <T>(turn: AnswerTurn, make: (grow: Grow) => Promise<T>) => Promise<T>;

export function createLargeAnswers(after: After): LargeAnswers {
  const acquire = createFairSlots({
    concurrency: AT_ONCE,
    concurrency_per_owner: OF_ONE_USER,
    max_waiting: WAITING,
    max_waiting_per_owner: WAITING_OF_ONE_USER,
    tooMany,
  });

  async function acquireInTime(owner: string, signal: AbortSignal): Promise<() => void> {
    const deadline = startDeadline({ after, ms: WAIT_MS, error: tooMany });
    const either = joinSignals(signal, deadline.signal);
    try {
      return await acquire(owner, either.signal);
    } finally {
      either.leave();
      deadline.cancel();
    }
  }

  return async ({ user_id, signal, answered }, make) => {
    const deadline = startDeadline({ after, ms: LONGEST_MS, error: () => new Fault('operation_timeout') });
    const either = joinSignals(signal, deadline.signal);
    let release = () => {};
    let has_turn = false;
    const grow = async (bytes: number) => {
      either.signal.throwIfAborted();
      if (has_turn || bytes <= LARGE_ANSWER_BYTES) return;
      release = await acquireInTime(String(user_id), either.signal);
      has_turn = true;
    };
    try {
      const answer = await untilAborted(either.signal, make(grow));
      keepUntil(answered, release);
      return answer;
    } catch (error) {
      release();
      throw error;
    } finally {
      either.leave();
      deadline.cancel();
    }
  };
}

function keepUntil(answered: AbortSignal | undefined, release: () => void): void {
  if (!answered || answered.aborted) release();
  else answered.addEventListener('abort', release, { once: true });
}

function tooMany(): Fault {
  return new Fault('rate_limited', 'Too many large answers at once', { retry_after: RETRY_S });
}
