/** What was measured in each step; null: nothing. */
export type Measured = readonly (number | null)[];

export interface ChartPart {
  readonly label: string;
  /** Of the page's colours. */
  readonly token: string;
  readonly values: Measured;
}

export interface ChartData {
  /** Begin of each step, in seconds since the epoch. */
  readonly times: readonly number[];
  readonly step_s: number;
  /** From the bottom to the top. */
  readonly parts: readonly ChartPart[];
  readonly unit: 'count' | 'bytes';
}

/** The height of each part's upper edge, where the parts stand on each other. */
export function stackOf(parts: readonly Measured[]): Measured[] {
  const edges: Measured[] = [];
  for (const values of parts) {
    const below = edges.at(-1);
    edges.push(values.map((value, i) => (value === null ? null : value + (below?.[i] ?? 0))));
  }
  return edges;
}

/** First and last step of each stretch in which nothing was measured. */
export function gapsOf(values: Measured): [first: number, last: number][] {
  const gaps: [number, number][] = [];
  values.forEach((value, i) => {
    if (value !== null) return;
    const open = gaps.at(-1);
    if (open && open[1] === i - 1) open[1] = i;
    else gaps.push([i, i]);
  });
  return gaps;
}

const LEAST_TOP = { count: 4, bytes: 1024 } as const;

/** The upper end of the scale: with some air, and never so low that one thing looks like many. */
export function topOf(greatest: number | null, unit: ChartData['unit']): number {
  return Math.max(LEAST_TOP[unit], (greatest ?? 0) * 1.08);
}

/** Round numbers that lines may stand at: of a count no halves, of bytes powers of two. */
export function incrementsOf(unit: ChartData['unit']): number[] {
  const powers = (base: number, count: number) => Array.from({ length: count }, (_, i) => base ** i);
  if (unit === 'bytes') return powers(2, 53);
  return powers(10, 15).flatMap((power) => [power, 2 * power, 5 * power]);
}

/** Which step the keys lead to; undefined: they are not for the chart. */
export function stepFor(key: string, at: number, count: number): number | undefined {
  const moved: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    PageUp: at - 12,
    PageDown: at + 12,
    Home: 0,
    End: count - 1,
  };
  const to = moved[key];
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to));
}

/** When a step was, from its begin to its end. */
export function formatStep(time_s: number, step_s: number, language: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return format.formatRange(new Date(time_s * 1000), new Date((time_s + step_s) * 1000));
}

const DAY_S = 86_400;

/** Under a line of the chart: the time of day, or the day where the lines are so far apart. */
export function formatTick(time_s: number, apart_s: number, language: string): string {
  const options: Intl.DateTimeFormatOptions =
    apart_s < DAY_S ? { hour: 'numeric', minute: '2-digit' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(language, options).format(new Date(time_s * 1000));
}
