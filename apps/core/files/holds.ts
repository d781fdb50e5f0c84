import type { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes.ts';
import { pause, startDeadline, untilAborted } from '../lib/deadline.ts';
import { createKeyedLimiter } from '../lib/limiter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { createHeld, type Hold } from './held.ts';

export type { Hold } from './held.ts';

const LONGEST_WAIT_MS = 10_000;
const POLL_MS = 200; // while another instance holds it

interface HoldOptions {
  readonly ttl_ms: number;
  readonly busy: () => Fault;
  /** Makes another instance let go at its next renewal, by a third of its `ttl_ms` later. */
  readonly claims?: boolean;
}

/** Exclusive write locks across all instances. */
export interface Holds {
  /** Waits up to ten seconds, then throws `busy()`. Renews the hold until it is released. */
  wait(key: string, options: HoldOptions): Promise<Hold>;
  /** Undefined when another holder has it. `busy()` is why it was lost when another instance has claimed it. */
  take(key: string, options: HoldOptions): Promise<Hold | undefined>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'holds'>;
  readonly clock: Clock;
  readonly background: Background;
}

export function createHolds({ repositories, clock, background }: Deps): Holds {
  const { holds } = repositories;
  const oneAtATime = createKeyedLimiter(1);

  async function take(key: string, { ttl_ms, busy }: HoldOptions): Promise<Hold | undefined> {
    const holder = randomToken(16);
    const renew = () => holds.take(key, holder, ttl_ms);
    const asked_ms = clock.elapsed_ms();
    if (!(await renew())) return undefined;
    const giveBack = () => holds.release(key, holder);
    return createHeld({ renew, overtaken: busy, giveBack, ttl_ms, asked_ms }, { clock, background });
  }

  /** Queues within this process first, so that only one waiter polls the database. */
  function enterQueue(key: string): Promise<() => void> {
    return new Promise((enter) => {
      const stay = oneAtATime(key, () => new Promise<void>((leave) => enter(leave)));
      background.run('wait for a hold', stay);
    });
  }

  async function poll(key: string, options: HoldOptions, deadline: AbortSignal): Promise<Hold> {
    let claims = options.claims === true;
    for (;;) {
      deadline.throwIfAborted();
      const hold = await take(key, options);
      if (hold) return hold;
      if (claims) await holds.claim(key);
      claims = false; // once: the next holder may have waited less than this one
      await pause(clock.after, POLL_MS);
    }
  }

  return {
    take,
    async wait(key, options) {
      const deadline = startDeadline({ after: clock.after, ms: LONGEST_WAIT_MS, error: options.busy });
      const entered = enterQueue(key);
      try {
        const leave = await untilAborted(deadline.signal, entered);
        const hold = await poll(key, options, deadline.signal);
        return { lost: hold.lost, release: () => hold.release().finally(leave) };
      } catch (error) {
        void entered.then((leaveQueue) => leaveQueue());
        throw error;
      } finally {
        deadline.cancel();
      }
    },
  };
}
