/** The time that a date in a query stands for: a day, a minute, or an instant such as seven days ago. */
export interface Span {
  readonly from: Date;
  /** Exclusive; equals `from` for an instant. */
  readonly to: Date;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const LAST_YEAR = 9998;

/** Reads `2026-11-20`, `2026-11-20T15:30`, `today`, `yesterday` and `7d`, in local time; undefined for anything else. */
export function readMoment(text: string, now: Date): Span | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'today') return dayOf(now, 0);
  if (word === 'yesterday') return dayOf(now, -1);
  return readAgo(word, now) ?? readDate(word);
}

function readAgo(word: string, now: Date): Span | undefined {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(word) ?? [];
  const minute = Math.floor(now.getTime() / 60_000) * 60_000;
  const at = new Date(minute - Number(count) * (UNITS_MS[unit] ?? Number.NaN));
  return Number.isNaN(at.getTime()) || at.getTime() < 0 ? undefined : { from: at, to: at };
}

function readDate(word: string): Span | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})(?:t(\d{2}):(\d{2}))?$/.exec(word);
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute] = found.slice(1).map((part) => Number(part));
  if (year < 1970 || year > LAST_YEAR) return undefined;
  const has_time = found[4] !== undefined;
  const from = new Date(year, month - 1, day, has_time ? hour : 0, has_time ? minute : 0);
  const is_real =
    from.getMonth() === month - 1 && from.getDate() === day && (hour || 0) < 24 && (minute || 0) < 60;
  if (!is_real) return undefined;
  return has_time ? { from, to: new Date(from.getTime() + 60_000) } : dayOf(from, 0);
}

function dayOf(moment: Date, days_later: number): Span {
  const start = (later: number) =>
    new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + days_later + later);
  return { from: start(0), to: start(1) };
}

/** Formats a minute for a query, in local time: `2026-11-20T15:30`. */
export function minuteText(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}
