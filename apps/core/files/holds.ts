import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { createKeyedLimiter } from '../lib/concurrency/limiter.ts';
import { pause, startDeadline, untilAborted } from '../lib/time/deadline.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';

const LONGEST_WAIT_MS = 10_000;
const POLL_MS = 200; // while another instance holds it

interface Hold {
  /** Aborts when the hold was not renewed: another instance may have it now. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

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

interface Taken {
  readonly ttl_ms: number;
  /** When it was requested, by `elapsed_ms`. */
  readonly asked_ms: number;
  /** False when another holder has it, or shall have it. */
  renew(): Promise<boolean>;
  /** Why it was lost when `renew` was false. */
  overtaken(): Fault;
  giveBack(): Promise<void>;
}

/** A hold that is renewed until it is released. */
function createHeld(
  { ttl_ms, asked_ms, renew, overtaken, giveBack }: Taken,
  { clock, background }: { clock: Clock; background: Background },
): Hold {
  const lost = new AbortController();
  let is_over = false;
  let cancelBeat = () => {};
  let cancelLapse = () => {};
  let beating: Promise<void> = Promise.resolve();

  function stop(): void {
    is_over = true;
    cancelBeat();
    cancelLapse();
  }
  function lose(why: Fault): void {
    stop();
    lost.abort(why);
  }
  const lapse = () => lose(new Fault('database_unavailable', 'The write lock could not be renewed in time'));

  function heldSince(from_ms: number): void {
    cancelLapse();
    cancelLapse = clock.after(Math.max(0, from_ms + ttl_ms - clock.elapsed_ms()), lapse);
  }

  async function beat(): Promise<void> {
    const from_ms = clock.elapsed_ms();
    try {
      const is_ours = await renew();
      if (is_over) return;
      if (!is_ours) return lose(overtaken());
      heldSince(from_ms);
    } finally {
      if (!is_over) beatLater(); // a failed renewal may succeed before the hold expires
    }
  }
  function beatLater(): void {
    cancelBeat = clock.after(ttl_ms / 3, () => {
      const renewed = beat();
      background.run('renew a hold', renewed);
      beating = renewed.catch(() => undefined); // reported by the background
    });
  }

  heldSince(asked_ms);
  beatLater();
  return {
    lost: lost.signal,
    async release() {
      stop();
      await beating; // a renewal may be in progress
      const given_back = giveBack();
      background.run('release a hold', given_back); // if that fails, the hold expires
      await given_back.catch(() => undefined);
    },
  };
}
