export const EXPIRIES = ['30_days', '90_days', '1_year', 'date', 'never'] as const;
export type Expiry = (typeof EXPIRIES)[number];

const DAYS: Readonly<Partial<Record<Expiry, number>>> = { '30_days': 30, '90_days': 90, '1_year': 365 };
const DAY_MS = 86_400_000;

/** The expiry as the API takes it; undefined while the date is missing or in the past. */
export function expiresAt(expiry: Expiry, date: string, now: Date): string | null | undefined {
  if (expiry === 'never') return null;
  const days = DAYS[expiry];
  if (days !== undefined) return new Date(now.getTime() + days * DAY_MS).toISOString();
  const end = endOfDay(date);
  return end && end > now ? end.toISOString() : undefined;
}

/** A key is valid through the end of its last day in the owner's time zone. */
function endOfDay(date: string): Date | undefined {
  const end = new Date(`${date}T23:59:59`);
  return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(end.getTime()) ? end : undefined;
}

/** The local date as `YYYY-MM-DD`, as date inputs take it. */
export function dayOf(moment: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
