import { Fault } from '../errors.ts';
import type { Background, Clock } from '../ports/runtime.ts';

export interface Hold {
  /** Aborts when the hold was not renewed: another instance may have it now. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
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
export function createHeld(
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
