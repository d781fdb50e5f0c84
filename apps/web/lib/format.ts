const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** One value per key: creating a formatter takes longer than formatting a whole row. */
function kept<T>(create: (language: string, kind: string) => T): (language: string, kind: string) => T {
  const found = new Map<string, T>();
  return (language, kind) => {
    const key = `${language} ${kind}`;
    const present = found.get(key) ?? create(language, kind);
    found.set(key, present);
    return present;
  };
}

const numbers = kept(
  (language, digits) => new Intl.NumberFormat(language, { maximumFractionDigits: Number(digits) }),
);
/** A number with the separators of the language. */
export function formatNumber(value: number, language: string, digits = 0): string {
  return numbers(language, String(digits)).format(value);
}

export function formatSize(bytes: number, language: string): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  return `${numbers(language, String(digits)).format(size)} ${UNITS[unit]}`;
}

/** Date and time to the minute. */
export function formatInstant(instant: string, language: string): string {
  return whens(language, 'minutes').format(new Date(instant));
}

/** Date and time to the second. */
export function formatMoment(instant: string, language: string): string {
  return whens(language, 'moment').format(new Date(instant));
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const WHEN = {
  time: TIME,
  seconds: { ...TIME, second: '2-digit' },
  day: DAY,
  year: { ...DAY, year: 'numeric' },
  minutes: { ...DAY, year: 'numeric', ...TIME },
  moment: { ...DAY, year: 'numeric', ...TIME, second: '2-digit' },
  whole: { ...DAY, year: 'numeric', ...TIME, second: '2-digit', timeZoneName: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
type When = keyof typeof WHEN;

const whens = kept(
  (language, kind) => new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, WHEN[kind as When]),
); // the day before the month in every language
const relative = kept((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));

interface WhenOptions {
  readonly now_ms: number;
  readonly language: string;
  /** Tells apart what happened within one minute. */
  readonly has_seconds?: boolean | undefined;
}

/** A short time for a list: `22:38` today, `Yesterday 15:37`, `12 Nov` this year, `12 Nov 2025` before. */
export function formatWhen(instant: string, { now_ms, language, has_seconds = false }: WhenOptions): string {
  const [then, now] = [new Date(instant), new Date(now_ms)];
  const format = (kind: When) => whens(language, kind).format(then);
  const time = () => format(has_seconds ? 'seconds' : 'time');
  const days_later = dayNumber(then) - dayNumber(now);
  if (days_later === 0) return time();
  if (Math.abs(days_later) === 1)
    return `${capitalized(relative(language, '').format(days_later, 'day'))} ${time()}`;
  return format(then.getFullYear() === now.getFullYear() ? 'day' : 'year');
}

/** The same in full, with seconds and the time zone. */
export function formatWhole(instant: string, language: string): string {
  return whens(language, 'whole').format(new Date(instant));
}

/** Whether both are on the same day of the calendar here. */
export function isSameDay(instant: string, now_ms: number): boolean {
  return dayNumber(new Date(instant)) === dayNumber(new Date(now_ms));
}

/** Days of the calendar here, which may have 23 or 25 hours. */
function dayNumber(date: Date): number {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Relative time in the largest whole unit, such as `3 minutes ago`. */
export function formatAgo(instant: string, now_ms: number, language: string): string {
  const past_s = Math.max(0, Math.round((now_ms - Date.parse(instant)) / 1000)); // clock skew may put it in the future
  const [unit, size] = STEPS.find(([, unit_s]) => past_s >= unit_s) ?? (['second', 1] as const);
  return relative(language, '').format(-Math.floor(past_s / size), unit);
}
