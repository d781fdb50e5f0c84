import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { hourOf, MARK_ENTRIES, type Mark } from './evidence.ts';
import type { Limits } from './limits.ts';

const DAY_MS = 24 * 3_600_000;
const NEVER = '1970-01-01T00';
const FUTURE = '9999-12-31T23:59:59.999Z';

/** The part of the log that the limits do not keep. */
export interface Excess {
  /** Number of its entries, without the records of removals. */
  readonly entries: number;
  /** How to remove it, in this order. */
  readonly steps: readonly Step[];
}

export interface Step extends Mark {
  readonly chain_id: string;
}

interface Ages {
  readonly now: Date;
  readonly min_age_ms: number;
}

export async function removableIn(
  limits: Limits,
  chains: ReadonlyMap<string, readonly Mark[]>,
  ages: Ages,
): Promise<Excess> {
  const giveWay = createGiveWay(); // a million entries have some 50,000 marks
  const hours = new Map<string, number>();
  const all: { chain_id: string; marks: readonly Mark[]; times: readonly string[] }[] = [];
  for (const [chain_id, marks] of chains) {
    const times = timesOf(marks, ages.now);
    await giveWay();
    countHours(hours, marks, times);
    await giveWay();
    all.push({ chain_id, marks, times });
  }
  const before = hourBefore(limits, firstKept(hours, limits.audit_max_entries), ages);
  let entries = 0;
  for (const [hour, count] of hours) if (hour < before) entries += count;
  const steps: Step[] = [];
  for (const { chain_id, marks, times } of all) {
    for (const step of stepsBefore(before, marks, times)) steps.push({ ...step, chain_id });
    await giveWay();
  }
  return { entries, steps };
}

function countHours(hours: Map<string, number>, marks: readonly Mark[], times: readonly string[]): void {
  for (const [i, { entries }] of marks.entries()) {
    const hour = hourOf(times[i] ?? FUTURE);
    hours.set(hour, (hours.get(hour) ?? 0) + entries);
  }
}

/** Up to the last old mark, without those that the next one can include. */
function stepsBefore(before: string, marks: readonly Mark[], times: readonly string[]): Mark[] {
  const steps: Mark[] = [];
  for (const [i, mark] of marks.entries()) {
    const latest = times[i] ?? FUTURE;
    if (latest >= before) break; // the times ascend
    const last = steps.at(-2);
    if (last && mark.seq - last.seq <= MARK_ENTRIES) steps.pop();
    steps.push({ ...mark, latest });
  }
  return steps;
}

/** Entries of earlier hours are removed; `first_kept` is the hour of the oldest entry that the number of entries keeps. */
export function hourBefore(
  { audit_retention_days: days, audit_max_entries: most }: Limits,
  first_kept: string | undefined,
  { now, min_age_ms }: Ages,
): string {
  const ago = (age_ms: number) => hourOf(new Date(now.getTime() - age_ms).toISOString());
  const too_old = days > 0 ? ago(days * DAY_MS) : NEVER;
  const too_many = most > 0 && first_kept !== undefined ? first_kept : NEVER;
  const wanted = too_old > too_many ? too_old : too_many;
  const newest = ago(min_age_ms);
  return wanted < newest ? wanted : newest;
}

/** The last hour from which on there are at least as many entries as `most`. */
function firstKept(hours: ReadonlyMap<string, number>, most: number): string | undefined {
  let kept = 0;
  for (const hour of [...hours.keys()].sort().reverse()) {
    kept += hours.get(hour) ?? 0;
    if (kept >= most) return hour;
  }
  return undefined;
}

/**
 * The times of the marks of one chain that count: never earlier than that of the mark before. A mark in the future shows
 * that a clock was wrong: the time of the next mark counts, or the log would keep what follows for as long.
 */
function timesOf(marks: readonly Mark[], now: Date): string[] {
  const present = now.toISOString();
  let before = '';
  const times = marks.map(({ latest }) => {
    if (latest > present) return FUTURE;
    before = latest > before ? latest : before;
    return before;
  });
  let next = FUTURE;
  for (let i = times.length - 1; i >= 0; i -= 1) {
    if (times[i] === FUTURE) times[i] = next;
    else next = times[i] ?? next;
  }
  return times;
}
