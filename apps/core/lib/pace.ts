import type { After } from './timers.ts';

export interface PaceOptions {
  readonly at_once: number;
  /** Who keeps a place for longer is waiting, not working: the place goes to the next one. */
  readonly lease_ms: number;
}

/** A place among a few; waits for it in line, and rejects when `signal` aborts. The result gives it back. */
export type Place = (signal: AbortSignal) => Promise<() => void>;

export function createPace(after: After, { at_once, lease_ms }: PaceOptions): Place {
  const waiting = new Set<() => void>();
  let free = at_once;

  function giveBack(): void {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  function take(): () => void {
    let is_held = true;
    const leave = () => {
      if (!is_held) return;
      is_held = false;
      cancel();
      giveBack();
    };
    const cancel = after(lease_ms, leave);
    return leave;
  }

  function inLine(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(turn);
        reject(signal.reason);
      };
      waiting.add(turn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return async (signal) => {
    signal.throwIfAborted();
    if (free > 0) free -= 1;
    else await inLine(signal);
    return take();
  };
}
