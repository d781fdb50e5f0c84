import type { Background } from '../ports/runtime.ts';

/** Writes that must happen: without them, a turn would seem to run for ever. */
export interface RetriedWrites {
  /** Resolves after the first attempt. */
  run(what: string, write: () => Promise<void>): Promise<void>;
  areDone(): boolean;
  /** Tries again what has failed. */
  retryAll(): Promise<void>;
}

export function createRetriedWrites(background: Background): RetriedWrites {
  const pending = new Map<string, () => Promise<void>>();

  async function run(what: string, write: () => Promise<void>): Promise<void> {
    pending.set(what, write);
    const written = write().then(() => void pending.delete(what));
    background.run(what, written); // logs a failure
    await written.catch(() => undefined);
  }

  return {
    run,
    areDone: () => pending.size === 0,
    async retryAll() {
      for (const [what, write] of [...pending]) await run(what, write);
    },
  };
}
