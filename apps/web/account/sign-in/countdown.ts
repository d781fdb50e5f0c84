import { type Accessor, createSignal, onCleanup } from 'solid-js';

/** Seconds that are left; starts again with each call of `start`. */
export function createCountdown(): { readonly left: Accessor<number>; start(seconds: number): void } {
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
