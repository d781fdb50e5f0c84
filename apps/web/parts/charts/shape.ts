/** One value for each step; null if nothing was measured. */
export type Measured = readonly (number | null)[];

export interface ChartPart {
  readonly label: string;
  /** A color token of `tokens.css`. */
  readonly token: string;
  readonly values: Measured;
}

export interface ChartData {
  /** Start of each step, in seconds since the epoch. */
  readonly times: readonly number[];
  readonly step_s: number;
  /** Stacked from bottom to top. */
  readonly parts: readonly ChartPart[];
  readonly unit: 'count' | 'bytes';
}

/** The upper edge of each part when the parts are stacked. */
export function stackOf(parts: readonly Measured[]): Measured[] {
  const edges: Measured[] = [];
  for (const values of parts) {
    const below = edges.at(-1);
    edges.push(values.map((value, i) => (value === null ? null : value + (below?.[i] ?? 0))));
  }
  return edges;
}

/** First and last step of each run without measurements. */
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

/** The first step with a measurement. */
export function firstMeasured({ parts }: ChartData): number | undefined {
  const first = parts[0]?.values.findIndex((value) => value !== null) ?? -1;
  return first < 0 ? undefined : first;
}

/** Whether nothing but zeros was measured. */
export function isFlat({ parts }: ChartData): boolean {
  return parts.every(({ values }) => values.every((value) => !value));
}

/** Returns the step with the highest sum of its parts, the latest of several. */
export function peakOf({ parts }: ChartData): { readonly step: number; readonly value: number } | undefined {
  let peak: { step: number; value: number } | undefined;
  for (const [step, value] of (stackOf(parts.map(({ values }) => values)).at(-1) ?? []).entries())
    if (value && value >= (peak?.value ?? 0)) peak = { step, value };
  return peak;
}

const MIN_TOP = { count: 4, bytes: 1024 } as const;

/** Top of the scale: with room for the label of the peak, and a minimum so that small counts look small. */
export function topOf(greatest: number | null, unit: ChartData['unit']): number {
  return Math.max(MIN_TOP[unit], (greatest ?? 0) * 1.2);
}

/** Grid increments: whole numbers for counts, powers of two for bytes. */
export function incrementsOf(unit: ChartData['unit']): number[] {
  const powers = (base: number, count: number) => Array.from({ length: count }, (_, i) => base ** i);
  if (unit === 'bytes') return powers(2, 53);
  return powers(10, 15).flatMap((power) => [power, 2 * power, 5 * power]);
}

/** The step that a key moves to; undefined if the chart does not handle the key. */
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

/** The time range of a step. */
export function formatStep(time_s: number, step_s: number, language: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return format.formatRange(new Date(time_s * 1000), new Date((time_s + step_s) * 1000));
}

const DAY_S = 86_400;

/** An axis label: the time of day, or the date if ticks are a day or more apart. */
export function formatTick(time_s: number, apart_s: number, language: string): string {
  const options: Intl.DateTimeFormatOptions =
    apart_s < DAY_S ? { hour: 'numeric', minute: '2-digit' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(language, options).format(new Date(time_s * 1000));
}
