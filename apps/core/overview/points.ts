import {
  COUNTERS,
  GAUGES,
  type MergedSample,
  MOST_POINTS,
  type OverviewPoint,
  SAMPLE_STEP_S,
  type SampleName,
} from '../model/overview.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
/** Each divides a day, so that no step crosses midnight UTC. */
const STEPS_S = [SAMPLE_STEP_S, 10 * MINUTE_S, 15 * MINUTE_S, 30 * MINUTE_S, HOUR_S, 2 * HOUR_S, 3 * HOUR_S];

/** The steps of a time span; the last one is the current step. */
export interface Steps {
  readonly step_s: number;
  /** In steps since the epoch. */
  readonly first: number;
  readonly count: number;
}

/** The shortest step that needs at most `MOST_POINTS` points. */
export function stepsOf(hours: number, now: Date): Steps {
  const needed = (step_s: number) => Math.ceil((hours * HOUR_S) / step_s);
  const step_s = STEPS_S.find((one) => needed(one) <= MOST_POINTS) ?? 3 * HOUR_S;
  const count = needed(step_s);
  const present = Math.floor(now.getTime() / 1000 / step_s);
  return { step_s, first: present - count + 1, count };
}

export function startOf(step: number, { step_s }: Steps): string {
  return new Date(step * step_s * 1000).toISOString();
}

/** One point per step, also where nothing was sampled. */
export function pointsOf(samples: readonly MergedSample[], steps: Steps): OverviewPoint[] {
  const found = new Map(samples.map((sample) => [`${sample.step} ${sample.metric}`, sample]));
  return Array.from({ length: steps.count }, (_, i) => {
    const step = steps.first + i;
    const read: Read = (metric, how) => found.get(`${step} ${metric}`)?.[how] ?? null;
    return { at: startOf(step, steps), ...readAll(read) };
  });
}

type Values = Omit<OverviewPoint, 'at'>;
type Read = (metric: SampleName, how: 'sum' | 'last') => number | null;

function readAll(read: Read): Values {
  const gauges = GAUGES.map((metric) => [metric, read(metric, 'last')] as const);
  const is_measured = gauges.some(([, value]) => value !== null);
  // Earlier versions did not write each counter.
  const counters = COUNTERS.map(
    (metric) => [metric, read(metric, 'sum') ?? (is_measured ? 0 : null)] as const,
  );
  return complete([...gauges, ...counters]);
}

/** `values` holds every gauge and every counter. */
function complete(values: readonly (readonly [SampleName, number | null])[]): Values {
  return Object.fromEntries(values) as Values;
}
