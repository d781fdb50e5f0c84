import type { Counter, Gauge, MergedSample, PresentNumbers } from '../../model/overview.ts';

export interface SampleRepository {
  /** Sets gauges and adds to counters in one transaction. */
  record(
    at: string,
    input: {
      readonly set: Readonly<Record<Gauge, number>>;
      readonly add: Readonly<Record<Counter, number>>;
    },
  ): Promise<void>;
  /** Samples since then, merged into steps of `step_s` seconds aligned to the epoch. */
  merged(since: string, step_s: number): Promise<MergedSample[]>;
  present(): Promise<PresentNumbers>;
  removeOlder(before: string): Promise<void>;
}
