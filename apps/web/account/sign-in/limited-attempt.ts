import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { reasonOf } from '../../parts/trouble.tsx';

const DEFAULT_WAIT_S = 60;

/** An attempt that the gateway rate-limits: after a 429 it blocks until the announced wait is over. */
export function createLimitedAttempt() {
  const { t } = useApp();
  const attempt = createAttempt();
  const wait = createCountdown();

  function message(): string | undefined {
    const refusal = attempt.error();
    if (refusal === undefined) return undefined;
    if (!(refusal instanceof ClientError)) return reasonOf(refusal, t);
    if (refusal.status !== 429) return t.optional(`refused_${refusal.code}`) ?? reasonOf(refusal, t);
    if (wait.left() === 0) return undefined;
    const key = refusal.code === 'account_locked' ? 'locked_seconds' : 'wait_seconds';
    return t(key, { seconds: wait.left() });
  }

  return {
    error: attempt.error,
    blocked: () => attempt.busy() || wait.left() > 0,
    busy: attempt.busy,
    message,
    /** Clears the refusal once the input changes, but not during a wait. */
    forget: () => wait.left() === 0 && attempt.forget(),
    async run(work: () => Promise<unknown>): Promise<boolean> {
      if (wait.left() > 0) return false;
      const is_done = await attempt.run(work);
      const refusal = attempt.error();
      if (refusal instanceof ClientError && refusal.status === 429)
        wait.start(refusal.retry_after ?? DEFAULT_WAIT_S);
      return is_done;
    },
  };
}

/** Seconds that are left; starts again with each call of `start`. */
function createCountdown(): { readonly left: Accessor<number>; start(seconds: number): void } {
  const [left, setLeft] = createSignal(0);
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = () => clearInterval(timer);
  onCleanup(stop);
  return {
    left,
    start(seconds) {
      stop();
      const until = performance.now() + seconds * 1000;
      setLeft(seconds);
      timer = setInterval(() => {
        setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1000)));
        if (left() === 0) stop();
      }, 250);
    },
  };
}
