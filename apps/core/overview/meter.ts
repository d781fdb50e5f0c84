import type { Counted, Meter } from '../ports/meter.ts';

export function createMeter(): Meter {
  const totals = new Map<Counted, number>();
  const total = (what: Counted) => totals.get(what) ?? 0;
  return {
    total,
    add: (what, by = 1) => void totals.set(what, total(what) + by),
  };
}
