import type { Clock } from '../ports/runtime.ts';
import { CLOCK_SKEW_S } from './proofs.ts';

/** Remembers each proof for as long as it is valid. Only genuine proofs get here, so their number is that of requests. */
export function createUsedProofs(clock: Pick<Clock, 'now'>) {
  const until = new Map<string, number>(); // in the order of arrival, which is nearly that of expiry
  return {
    /** False when it was taken before. */
    take(jti: string, exp_s: number): boolean {
      const now_s = clock.now().getTime() / 1000;
      for (const [old, end_s] of until) {
        if (end_s > now_s) break;
        until.delete(old);
      }
      if (until.has(jti)) return false;
      until.set(jti, exp_s + CLOCK_SKEW_S);
      return true;
    },
  };
}
