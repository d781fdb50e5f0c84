/** Runs once after `delay_ms`; the returned function cancels. */
export type After = (delay_ms: number, run: () => void) => () => void;

/** Real time, for adapters that have no `Clock`. */
export const systemAfter: After = (delay_ms, run) => {
  const timer = setTimeout(run, delay_ms);
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
