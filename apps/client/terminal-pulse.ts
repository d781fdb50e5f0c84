const BEAT_MS = 15_000;
export const PATIENCE_MS = 10_000;

/** Finds out that nothing comes any more through a socket that looks open. */
export interface Pulse {
  start(): void;
  /** Asks now; the answer is due within this time. */
  ask(patience_ms: number): void;
  /** Something came. */
  heard(): void;
  stop(): void;
}

export function createPulse({ ping, dead }: { ping: () => void; dead: () => void }): Pulse {
  let beat: ReturnType<typeof setInterval> | undefined;
  let deadline: ReturnType<typeof setTimeout> | undefined;

  function heard(): void {
    clearTimeout(deadline);
    deadline = undefined;
  }

  function ask(patience_ms: number): void {
    heard();
    deadline = setTimeout(dead, patience_ms);
    ping();
  }

  return {
    start() {
      clearInterval(beat);
      beat = setInterval(() => ask(PATIENCE_MS), BEAT_MS);
    },
    ask,
    heard,
    stop() {
      clearInterval(beat);
      heard();
    },
  };
}
