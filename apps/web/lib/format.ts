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
const dates = kept(
  (language, time) =>
    new Intl.DateTimeFormat(language, {
      dateStyle: 'medium',
      timeStyle: time === 'minutes' ? 'short' : 'medium',
    }),
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
  return dates(language, 'minutes').format(new Date(instant));
}

/** Date and time to the second. */
export function formatMoment(instant: string, language: string): string {
  return dates(language, 'seconds').format(new Date(instant));
}

/** The time of day with seconds; other days get the date too. */
export function formatSince(instant: string, now_ms: number, language: string): string {
  const is_today = new Date(instant).toDateString() === new Date(now_ms).toDateString();
  if (!is_today) return formatMoment(instant, language);
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(new Date(instant));
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
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(past_s / size), unit);
}
