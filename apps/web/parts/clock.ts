import { type Accessor, createSignal, onCleanup } from 'solid-js';

const TICK_MS = 250;

/** The time, by `Date.now()`, as it goes on. */
export function createClock(): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), TICK_MS);
  onCleanup(() => clearInterval(timer));
  return now;
}
