const BEAT_MS = 15_000;
export const REPLY_TIMEOUT_MS = 10_000;

/** Detects a socket that looks open but is dead. */
export interface Heartbeat {
  start(): void;
  /** Pings now and expects an answer within this time. */
  ask(patience_ms: number): void;
  /** Any frame counts as a sign of life. */
  heard(): void;
  stop(): void;
}

export function createHeartbeat({ ping, dead }: { ping: () => void; dead: () => void }): Heartbeat {
  let beat: ReturnType<typeof setInterval> | undefined;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  let deadline_ms = Number.POSITIVE_INFINITY;

  function heard(): void {
    clearTimeout(deadline);
    deadline = undefined;
    deadline_ms = Number.POSITIVE_INFINITY;
  }

  function ask(patience_ms: number): void {
    const until_ms = Date.now() + patience_ms;
    if (until_ms < deadline_ms) {
      clearTimeout(deadline);
      deadline = setTimeout(dead, patience_ms);
      deadline_ms = until_ms;
    }
    ping();
  }

  return {
    start() {
      clearInterval(beat);
      beat = setInterval(() => ask(REPLY_TIMEOUT_MS), BEAT_MS);
    },
    ask,
    heard,
    stop() {
      clearInterval(beat);
      heard();
    },
  };
}
