import type { OverviewPoint, Period } from './overview.ts';

const HOUR_S = 3600;

/** Few enough to be told apart: 24 for a day, 28 for a week, 30 for a month. */
const BAR_S: Readonly<Record<Period, number>> = { 24: HOUR_S, 168: 6 * HOUR_S, 720: 24 * HOUR_S };

interface Bars {
  readonly step_s: number;
  readonly points: readonly OverviewPoint[];
}

/** Joins the points of the overview into longer steps that begin at whole hours or days of the local clock. */
export function barsOf({ points, step_s }: Bars, hours: Period, offset_s: number): Bars {
  const bar_s = BAR_S[hours];
  if (bar_s <= step_s) return { step_s, points };
  const barOf = ({ at }: OverviewPoint) => Math.floor((Date.parse(at) / 1000 + offset_s) / bar_s);
  const groups: OverviewPoint[][] = [];
  for (const point of points) {
    const open = groups.at(-1);
    if (open?.[0] && barOf(open[0]) === barOf(point)) open.push(point);
    else groups.push([point]);
  }
  return {
    step_s: bar_s,
    points: groups.map((group) => {
      const first = group[0] ? barOf(group[0]) : 0;
      return merged(group, new Date((first * bar_s - offset_s) * 1000).toISOString());
    }),
  };
}

/** Adds up counters, and takes the most terminals at once and the servers when the most were offline. */
function merged(group: readonly OverviewPoint[], at: string): OverviewPoint {
  const worst = group.reduce((one, other) =>
    (other.servers_offline ?? -1) >= (one.servers_offline ?? -1) ? other : one,
  );
  const known = (metric: Exclude<keyof OverviewPoint, 'at'>) =>
    group.map((point) => point[metric]).filter((value) => value !== null);
  const sum = (metric: Exclude<keyof OverviewPoint, 'at'>) => {
    const values = known(metric);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  const sessions = known('sessions');
  return {
    at,
    servers_online: worst.servers_online,
    servers_offline: worst.servers_offline,
    servers_unchecked: worst.servers_unchecked,
    sessions: sessions.length === 0 ? null : Math.max(...sessions),
    uploads: sum('uploads'),
    downloads: sum('downloads'),
    copies: sum('copies'),
    bytes_up: sum('bytes_up'),
    bytes_down: sum('bytes_down'),
    bytes_copied: sum('bytes_copied'),
    failed_logins: sum('failed_logins'),
    logins: sum('logins'),
  };
}
