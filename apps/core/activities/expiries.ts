import type { Clock } from '../ports/runtime.ts';

export interface Expiries {
  /** A credential that is in use expires then. */
  expect(at: string | undefined): void;
  stop(): void;
}

/** Checks at the moment when a credential in use expires: the database sends no notice of that. */
export function createExpiries(clock: Clock, soon_ms: number, check: () => void): Expiries {
  let due_ms = Number.POSITIVE_INFINITY;
  let cancel = () => {};

  function run(): void {
    due_ms = Number.POSITIVE_INFINITY;
    check();
  }

  return {
    expect(at) {
      if (at === undefined) return;
      const at_ms = Date.parse(at);
      const in_ms = at_ms - clock.now().getTime();
      if (at_ms >= due_ms || in_ms > soon_ms) return; // a later check expects it again
      cancel();
      due_ms = at_ms;
      cancel = clock.after(Math.max(0, in_ms), run);
    },
    stop() {
      cancel();
      due_ms = Number.NEGATIVE_INFINITY;
    },
  };
}
