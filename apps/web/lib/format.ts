const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function formatSize(bytes: number, language: string): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  return `${size.toLocaleString(language, { maximumFractionDigits: digits })} ${UNITS[unit]}`;
}

/** Short and sortable by eye; seconds are in the title. */
export function formatInstant(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(instant),
  );
}

/** To the second, for what is told apart by when it happened. */
export function formatMoment(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    new Date(instant),
  );
}

/** The time of day, with seconds; of another day with its date. */
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

/** In the greatest unit of which it is one or more: `3 minutes ago`. */
export function formatAgo(instant: string, now_ms: number, language: string): string {
  const past_s = Math.max(0, Math.round((now_ms - Date.parse(instant)) / 1000)); // clocks differ
  const [unit, size] = STEPS.find(([, unit_s]) => past_s >= unit_s) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(past_s / size), unit);
}
