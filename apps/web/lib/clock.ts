import { type Accessor, createSignal, onCleanup } from 'solid-js';

const TICK_MS = 250;

/** A signal of `Date.now()`, updated every tick. */
export function createClock(tick_ms = TICK_MS): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), tick_ms);
  onCleanup(() => clearInterval(timer));
  return now;
}
