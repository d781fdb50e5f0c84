/** How a setting's number is typed: as a time, a size, or plainly. */
export type Kind = 'seconds' | 'days' | 'bytes' | 'count';

interface Unit {
  readonly symbol: string;
  readonly size: number;
  /** Other ways to type it, in the languages of the page. */
  readonly names: readonly string[];
}

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

const SECONDS: readonly Unit[] = [
  { symbol: 'd', size: DAY_S, names: ['day', 'days', 'día', 'días', 'dia', 'dias'] },
  { symbol: 'h', size: HOUR_S, names: ['hr', 'hrs', 'hour', 'hours', 'hora', 'horas'] },
  { symbol: 'min', size: MINUTE_S, names: ['m', 'mins', 'minute', 'minutes', 'minuto', 'minutos'] },
  { symbol: 's', size: 1, names: ['sec', 'secs', 'second', 'seconds', 'segundo', 'segundos'] },
];

const DAYS: readonly Unit[] = [
  { symbol: 'd', size: 1, names: SECONDS[0]?.names ?? [] },
  { symbol: 'w', size: 7, names: ['week', 'weeks', 'semana', 'semanas'] },
];

/** Powers of 1024 first: they are shown where both texts are as short. */
const BYTES: readonly Unit[] = [
  { symbol: 'TiB', size: 1024 ** 4, names: [] },
  { symbol: 'GiB', size: 1024 ** 3, names: [] },
  { symbol: 'MiB', size: 1024 ** 2, names: [] },
  { symbol: 'KiB', size: 1024, names: [] },
  { symbol: 'TB', size: 1000 ** 4, names: [] },
  { symbol: 'GB', size: 1000 ** 3, names: [] },
  { symbol: 'MB', size: 1000 ** 2, names: [] },
  { symbol: 'kB', size: 1000, names: [] },
  { symbol: 'B', size: 1, names: ['byte', 'bytes'] },
];

const UNITS: Readonly<Record<Kind, readonly Unit[]>> = {
  seconds: SECONDS,
  days: DAYS,
  bytes: BYTES,
  count: [],
};

const EXAMPLES: Readonly<Record<Exclude<Kind, 'count'>, readonly [string, string]>> = {
  seconds: ['s', 'min'],
  days: ['d', 'w'],
  bytes: ['MB', 'GB'],
};

const ZEROS = { seconds: 's', days: 'd', bytes: 'B' } as const;

/** `90` seconds as `1 min 30 s`, bytes in the unit with the shortest exact text (`2 GB`), `0 s`; counts as they are. */
export function formatAmount(value: number, kind: Kind): string {
  if (kind === 'count') return String(value);
  if (value === 0) return `0 ${ZEROS[kind]}`;
  if (kind === 'seconds') return formatParts(value);
  const [first = String(value), ...others] = UNITS[kind]
    .filter(({ size }) => value % size === 0)
    .map(({ size, symbol }) => `${value / size} ${symbol}`);
  if (kind === 'days') return first;
  return others.reduce((best, text) => (text.length < best.length ? text : best), first);
}

function formatParts(seconds: number): string {
  let left = seconds;
  const parts = SECONDS.flatMap(({ symbol, size }) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? [`${count} ${symbol}`] : [];
  });
  return parts.join(' ');
}

const PART = /(\d+(?:[.,]\d+)?)\s*([^\d\s.,]*)\s*/gy;

/** Two examples with a unit for a time or size typed as a bare number, such as `90 s` for `90`. */
export function withUnits(text: string, kind: Kind): { first: string; second: string } | undefined {
  const typed = text.trim();
  if (kind === 'count' || !/^\d+$/.test(typed) || Number(typed) === 0) return undefined;
  const [first, second] = EXAMPLES[kind];
  return { first: `${typed} ${first}`, second: `${typed} ${second}` };
}

/** `15 min`, `1 h 30 min`, `1.5 h`, `20 MB`, a bare `0`: the whole number that is meant, NaN if it is none. */
export function parseAmount(text: string, kind: Kind): number {
  const typed = text.trim();
  const parts = [...typed.matchAll(PART)];
  const is_whole = parts.length > 0 && parts.map(([part]) => part).join('') === typed;
  if (!is_whole || (parts.length > 1 && kind !== 'seconds')) return Number.NaN;
  const values = parts.map(
    ([, number = '', unit = '']) =>
      Number(number.replace(',', '.')) * (unit === '' ? bareSize(typed, kind) : sizeOf(unit, kind)),
  );
  const value = values.reduce((sum, part) => sum + part, 0);
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

/** A bare 90 could mean seconds as well as minutes. */
function bareSize(typed: string, kind: Kind): number {
  return kind === 'count' || Number(typed) === 0 ? 1 : Number.NaN;
}

function sizeOf(typed: string, kind: Kind): number {
  const wanted = typed.toLowerCase();
  const unit = UNITS[kind].find(
    ({ symbol, names }) => symbol.toLowerCase() === wanted || names.includes(wanted),
  );
  return unit?.size ?? Number.NaN;
}
