import type { Clock } from '#core/ports/runtime.ts';

const MIN_INTERVAL_MS = 10_000;
// In both directions. Hardened hosts have a `RekeyLimit` from 16 MiB on, which a fast line passes in less than a second. Reading
// this much costs more than the exchange, so a hostile host gains nothing.
const MIN_BYTES = 16_000_000;

export interface RekeyLimit {
  count(bytes: number): void;
  /** Whether the host may exchange keys again now. */
  admit(): boolean;
}

/** A key exchange costs up to 40 ms, so a host must not repeat it at will. */
export function createRekeyLimit({ elapsed_ms }: Pick<Clock, 'elapsed_ms'>): RekeyLimit {
  let last_ms = Number.NEGATIVE_INFINITY;
  let bytes = 0;
  return {
    count(more) {
      bytes += more;
    },
    admit() {
      const now_ms = elapsed_ms();
      if (now_ms - last_ms < MIN_INTERVAL_MS && bytes < MIN_BYTES) return false;
      last_ms = now_ms;
      bytes = 0;
      return true;
    },
  };
}
