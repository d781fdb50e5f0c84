import { keepPreviousData, queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { auditPath } from '../../lib/audit-path.ts';
import { formatNumber, formatSize } from '../../lib/format.ts';

export type Overview = Schemas['Overview'];
export type OverviewPoint = Schemas['OverviewPoint'];
type Metric = Exclude<keyof OverviewPoint, 'at'>;

/** In hours. */
export const PERIODS = [24, 168, 720] as const;
export type Period = (typeof PERIODS)[number];

const MINUTE_MS = 60_000;

/** The period in the page's address; the shortest if it is invalid. */
export function periodOf(text: unknown): Period {
  return PERIODS.find((hours) => String(hours) === text) ?? 24;
}

export function overviewQuery(client: GatewayClient, hours: Period) {
  return queryOptions({
    queryKey: ['overview', hours],
    queryFn: ({ signal }) => take(client.http.GET('/api/overview', { params: { query: { hours } }, signal })),
    refetchInterval: hours === 24 ? MINUTE_MS : 5 * MINUTE_MS, // as often as something can be new to see
    placeholderData: keepPreviousData,
  });
}

/** One stacked part of a chart. */
interface Part {
  readonly metric: Metric;
  readonly label: TextKey;
  /** A color token of `tokens.css`. */
  readonly token: string;
}

export interface ChartPlan {
  readonly title: TextKey;
  /** Stacked from bottom to top. */
  readonly parts: readonly Part[];
  /** True for counters, which are summed over the period; false for gauges. */
  readonly is_counted: boolean;
  readonly unit: 'count' | 'bytes';
}

export const CHARTS: readonly ChartPlan[] = [
  {
    title: 'overview_servers',
    parts: [
      { metric: 'servers_online', label: 'server_online', token: 'good' },
      { metric: 'servers_unchecked', label: 'server_unchecked', token: 'line-strong' },
      { metric: 'servers_offline', label: 'server_offline', token: 'bad' },
    ],
    is_counted: false,
    unit: 'count',
  },
  {
    title: 'overview_terminals',
    parts: [{ metric: 'sessions', label: 'overview_open', token: 'accent' }],
    is_counted: false,
    unit: 'count',
  },
  {
    title: 'overview_bytes',
    parts: [
      { metric: 'bytes_down', label: 'overview_down', token: 'accent' },
      { metric: 'bytes_up', label: 'overview_up', token: 'busy' },
      { metric: 'bytes_copied', label: 'overview_copied', token: 'good' },
    ],
    is_counted: true,
    unit: 'bytes',
  },
  {
    title: 'overview_transfers',
    parts: [
      { metric: 'downloads', label: 'overview_downloads', token: 'accent' },
      { metric: 'uploads', label: 'overview_uploads', token: 'busy' },
      { metric: 'copies', label: 'overview_copied', token: 'good' },
    ],
    is_counted: true,
    unit: 'count',
  },
  {
    title: 'overview_failed_logins',
    parts: [{ metric: 'failed_logins', label: 'overview_failed', token: 'bad' }],
    is_counted: true,
    unit: 'count',
  },
  {
    title: 'overview_logins',
    parts: [{ metric: 'logins', label: 'overview_succeeded', token: 'good' }],
    is_counted: true,
    unit: 'count',
  },
];

export type Values = readonly (number | null)[];

export function valuesOf(points: readonly OverviewPoint[], metric: Metric): Values {
  return points.map((point) => point[metric]);
}

export function isMeasured(points: readonly OverviewPoint[]): boolean {
  return points.some(({ sessions }) => sessions !== null);
}

/** The sum of a counter, or the latest value of a gauge. */
export function summaryOf(values: Values, is_counted: boolean): number {
  const measured = values.filter((value) => value !== null);
  return is_counted ? measured.reduce((sum, value) => sum + value, 0) : (measured.at(-1) ?? 0);
}

export function formatValue(value: number, unit: ChartPlan['unit'], language: string): string {
  return unit === 'bytes' ? formatSize(value, language) : formatNumber(value, language, 3);
}

const MOST_SKEW_MS = 2000;

/** Says that an instance's clock is wrong. */
export function skewOf(clock_skew_ms: number | null): { key: TextKey; s: number } | undefined {
  if (clock_skew_ms === null || Math.abs(clock_skew_ms) <= MOST_SKEW_MS) return undefined;
  const key = clock_skew_ms > 0 ? 'overview_clock_ahead' : 'overview_clock_behind';
  return { key, s: Math.round(Math.abs(clock_skew_ms) / 1000) };
}

/** The failed sign-ins that the overview counts. */
export function failedLoginsPath({ since }: Pick<Overview, 'since'>): string {
  return auditPath({ action: 'login_failed', since: new Date(since) });
}
