import { readFileSync, writeFileSync } from 'node:fs';

export interface Row {
  readonly what: string;
  readonly unit: string;
  /** The real program's figure in the same run. */
  readonly theirs?: number;
  readonly ours: number;
  /** The target: a ratio, or a figure of ours when it names a unit or there is no other program. */
  readonly want: string;
}

export function row(what: string, unit: string, figures: Pick<Row, 'ours' | 'theirs' | 'want'>): Row {
  return { what, unit, ...figures };
}

export function median(values: readonly number[]): number {
  return quantileOf(values, 0.5);
}

export function quantileOf(values: readonly number[], quantile: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN;
}

/** A Markdown table, ratios ours to theirs. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [...figures(row), row.want, verdict(row)]);
  const head = ['', 'ssh, sftp', 'Sallyport', 'ratio', 'wanted', 'met'];
  return [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function figures({ what, unit, theirs, ours }: Row): string[] {
  const own = `${round(ours)} ${unit}`;
  return theirs === undefined
    ? [what, '', own, '']
    : [what, `${round(theirs)} ${unit}`, own, (ours / theirs).toFixed(2)];
}

function verdict({ theirs, ours, want }: Row): string {
  const [, comparison, bound, unit] = /^([<>]=?) ([\d.]+)(?: (.+))?$/.exec(want) ?? [];
  if (comparison === undefined) return '';
  const value = theirs === undefined || unit !== undefined ? ours : ours / theirs;
  const is_met = comparison.startsWith('<') ? value <= Number(bound) : value >= Number(bound);
  return is_met ? 'yes' : 'no';
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

/** Resident memory of a process in MiB, from `/proc` (proc(5)). */
export const memory = {
  /** Resets the peak; returns the current size. */
  reset(pid: number): number {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return field(pid, 'VmRSS');
  },
  now: (pid: number) => field(pid, 'VmRSS'),
  peak: (pid: number) => field(pid, 'VmHWM'),
};

function field(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}
