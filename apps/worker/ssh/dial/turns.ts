import { Fault } from '#core/errors.ts';
import { type AcquireSlot, createSlots } from '#core/lib/concurrency/limiter.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { type Attempt, forwardAbort, offTheClock } from '../attempt.ts';
import { unreachableFault } from '../faults.ts';

// An sshd drops connections at random while 10 are not authenticated yet (MaxStartups 10:30:100). Other clients need some.
const AT_ONCE = 6;
// Quick connects among these: a user can make a dial last with a slow key, and others must still get a turn.
const QUICK_AT_ONCE = 2;
const MAX_WAITS = 4; // in connect time-outs

/** The right to dial an address, until the connection is authenticated or has failed. */
export interface Turn {
  /** Gives up the other addresses of the host. */
  keepOnly(key: string): void;
  /** `heard`: whether the host still answers, so that waiting for the next turn is worthwhile. */
  end(heard: boolean): void;
}

export interface Turns {
  /**
   * Waits for a turn at each of these addresses; the wait does not count against the deadline of the attempt. It ends
   * after a connect time-out in which no dial to the address got an answer, and after 4 in any case.
   */
  take(keys: readonly string[], attempt: Attempt): Promise<Turn>;
}

interface Queue {
  readonly acquire: AcquireSlot;
  readonly waiting: Set<Patience>;
  users: number;
}

/** Dials to one address take turns, so that the host does not drop them. */
export function createTurns(clock: Clock): Turns {
  const queues = new Map<string, Queue>();

  async function enter(key: string, patience: Patience): Promise<(heard: boolean) => void> {
    const queue = queues.get(key) ?? newQueue(key);
    queues.set(key, queue);
    queue.users += 1;
    queue.waiting.add(patience);
    const leave = () => {
      queue.users -= 1;
      if (queue.users === 0) queues.delete(key);
    };
    try {
      const release = await queue.acquire(patience.signal);
      return (heard) => {
        if (heard) for (const other of queue.waiting) other.renew();
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    } finally {
      queue.waiting.delete(patience);
    }
  }

  return {
    async take(keys, attempt) {
      const held = new Map<string, (heard: boolean) => void>();
      const end = (heard: boolean, kept?: string) => {
        for (const [key, leave] of held) {
          if (kept !== undefined && (key === kept || key === quickKey(kept))) continue;
          held.delete(key);
          leave(heard);
        }
      };
      const patience = startPatience(attempt, clock);
      try {
        // In the same order for everybody, so that no two wait for each other.
        const own = attempt.is_quick ? keys.map(quickKey) : [];
        const ordered = [...new Set([...own, ...keys])].sort();
        await offTheClock(attempt, async () => {
          for (const key of ordered) held.set(key, await enter(key, patience));
        });
        return { end, keepOnly: (kept) => held.has(kept) && end(false, kept) };
      } catch (error) {
        end(false);
        throw error;
      } finally {
        patience.end();
      }
    },
  };
}

const QUICK = '!'; // sorts before every address, so that a dial that waits here holds no turn yet

function quickKey(key: string): string {
  return `${QUICK}${key}`;
}

function newQueue(key: string): Queue {
  const concurrency = key.startsWith(QUICK) ? QUICK_AT_ONCE : AT_ONCE;
  return { acquire: createSlots({ concurrency }), waiting: new Set(), users: 0 };
}

interface Patience {
  readonly signal: AbortSignal;
  /** Starts a new connect time-out. */
  renew(): void;
  end(): void;
}

function startPatience(attempt: Attempt, clock: Clock): Patience {
  const controller = new AbortController();
  const unfollow = forwardAbort(attempt.signal, controller);
  const lose = () => controller.abort(waitedFault(attempt));
  const cancelLast = clock.after(attempt.timeout_ms * MAX_WAITS, lose);
  let cancel = clock.after(attempt.timeout_ms, lose);
  return {
    signal: controller.signal,
    renew() {
      cancel();
      cancel = clock.after(attempt.timeout_ms, lose);
    },
    end() {
      cancel();
      cancelLast();
      unfollow();
    },
  };
}

function waitedFault(attempt: Attempt): Fault {
  const what = 'did not answer the connections before this one in time';
  const fault = attempt.is_quick
    ? unreachableFault(attempt)
    : attempt.fault('connect_timeout', `${attempt.address} ${what}`);
  return new Fault(fault.code, fault.detail, { ...fault.options, stage: 'tcp' });
}
