/** The playback position in milliseconds. */
export interface Stopwatch {
  at(): number;
  is_running(): boolean;
  start(): void;
  stop(): void;
  /** Continues from this position. */
  set(at_ms: number): void;
  speed(times: number): void;
  /** How long it takes at the current speed. */
  toWall(ms: number): number;
}

export function createStopwatch(now: () => number): Stopwatch {
  let speed = 1;
  let base_ms = 0;
  let since: number | undefined;
  const at = () => (since === undefined ? base_ms : base_ms + (now() - since) * speed);
  function set(at_ms: number): void {
    base_ms = at_ms;
    if (since !== undefined) since = now();
  }
  return {
    at,
    set,
    is_running: () => since !== undefined,
    start() {
      since ??= now();
    },
    stop() {
      base_ms = at();
      since = undefined;
    },
    speed(times) {
      set(at());
      speed = times;
    },
    toWall: (ms) => Math.max(0, ms / speed),
  };
}
