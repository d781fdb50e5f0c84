import type { Background } from '../ports/runtime.ts';

/** Writes that must happen: without them, a turn would seem to run for ever. */
export interface Owed {
  /** Resolves after the first attempt. */
  pay(what: string, write: () => Promise<void>): Promise<void>;
  isPaid(): boolean;
  /** Tries again what has failed. */
  payAll(): Promise<void>;
}

export function createOwed(background: Background): Owed {
  const unpaid = new Map<string, () => Promise<void>>();

  async function pay(what: string, write: () => Promise<void>): Promise<void> {
    unpaid.set(what, write);
    const written = write().then(() => void unpaid.delete(what));
    background.run(what, written); // logs a failure
    await written.catch(() => undefined);
  }

  return {
    pay,
    isPaid: () => unpaid.size === 0,
    async payAll() {
      for (const [what, write] of [...unpaid]) await pay(what, write);
    },
  };
}
