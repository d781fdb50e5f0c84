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

/** Exclusive write locks across all instances. */
export interface Holds {
  /** Waits up to ten seconds, then throws `busy()`. Renews the hold until it is released. */
  wait(key: string, options: { ttl_ms: number; busy: () => Fault }): Promise<Hold>;
  /** Undefined when another holder has it. */
  take(key: string, options: { ttl_ms: number }): Promise<Hold | undefined>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'holds'>;
  readonly clock: Clock;
  readonly background: Background;
}

export function createHolds({ repositories, clock, background }: Deps): Holds {
  const { holds } = repositories;
  const oneAtATime = createKeyedLimiter(1);

  async function take(key: string, { ttl_ms }: { ttl_ms: number }): Promise<Hold | undefined> {
    const holder = randomToken(16);
    const renew = () => holds.take(key, holder, ttl_ms);
    const asked_ms = clock.elapsed_ms();
    if (!(await renew())) return undefined;
    const giveBack = () => holds.release(key, holder);
    return createHeld({ renew, giveBack, ttl_ms, asked_ms }, { clock, background });
  }

  /** Queues within this process first, so that only one waiter polls the database. */
  function enterQueue(key: string): Promise<() => void> {
    return new Promise((enter) => {
      const stay = oneAtATime(key, () => new Promise<void>((leave) => enter(leave)));
      background.run('wait for a hold', stay);
    });
  }

  async function poll(key: string, ttl_ms: number, deadline: AbortSignal): Promise<Hold> {
    for (;;) {
      deadline.throwIfAborted();
      const hold = await take(key, { ttl_ms });
      if (hold) return hold;
      await pause(clock.after, POLL_MS);
    }
  }

  return {
    take,
    async wait(key, { ttl_ms, busy }) {
      const deadline = startDeadline({ after: clock.after, ms: LONGEST_WAIT_MS, error: busy });
      const entered = enterQueue(key);
      try {
        const leave = await untilAborted(deadline.signal, entered);
        const hold = await poll(key, ttl_ms, deadline.signal);
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
