/** Runs once after `delay_ms`; the returned function cancels. */
export type After = (delay_ms: number, run: () => void) => () => void;

const LONGEST_MS = 2 ** 31 - 1; // with more, `setTimeout` runs at once: a limit of 30 days would be checked in a busy loop

/** Time as a machine counts it, with an arbitrary origin. */
export interface Elapsed {
  elapsed_ms(): number;
}

/** Real time, for adapters that have no `Clock`. */
export const systemAfter: After = (delay_ms, run) => {
  let timer: ReturnType<typeof setTimeout>;
  function wait(left_ms: number): void {
    const then = left_ms > LONGEST_MS ? () => wait(left_ms - LONGEST_MS) : run;
    timer = setTimeout(then, Math.min(left_ms, LONGEST_MS));
  }
  wait(delay_ms);
  return () => clearTimeout(timer);
};

/** Repeats until the returned function is called. */
export function every(after: After, interval_ms: number, run: () => void): () => void {
  let cancel = after(interval_ms, tick);
  function tick(): void {
    cancel = after(interval_ms, tick);
    run();
  }
  return () => cancel();
}
