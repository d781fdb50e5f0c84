import type { Counter, Gauge, MergedSample, PresentNumbers } from '../../model/overview.ts';

export interface SampleRepository {
  /** Puts gauges in their place and adds to counters, together. */
  record(
    at: string,
    input: {
      readonly set: Readonly<Record<Gauge, number>>;
      readonly add: Readonly<Record<Counter, number>>;
    },
  ): Promise<void>;
  /** What was sampled since then, merged to steps of so many seconds, which are counted from the epoch. */
  merged(since: string, step_s: number): Promise<MergedSample[]>;
  present(): Promise<PresentNumbers>;
  removeOlder(before: string): Promise<void>;
}
