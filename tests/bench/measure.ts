import { readFileSync, writeFileSync } from 'node:fs';

export interface Row {
  readonly what: string;
  readonly unit: string;
  /** The real program's figure in the same run. */
  readonly theirs?: number;
  readonly ours: number;
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
  const cells = rows.map(({ what, unit, theirs, ours, want }) => [
    what,
    theirs === undefined ? '' : `${round(theirs)} ${unit}`,
    `${round(ours)} ${unit}`,
    theirs === undefined ? '' : (ours / theirs).toFixed(2),
    want,
  ]);
  const head = ['', 'ssh, sftp', 'Sallyport', 'ratio', 'wanted'];
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

/** Resident memory of a process in MiB, from `/proc` (proc(5)). */
export const memory = {
  /** Forgets the peak; the present size. */
  reset(pid: number): number {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return field(pid, 'VmRSS');
  },
  peak: (pid: number) => field(pid, 'VmHWM'),
};

function field(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}
