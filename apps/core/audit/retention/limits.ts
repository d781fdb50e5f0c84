import type { SettingValues } from '../../model/settings/setting.ts';

export const LIMIT_KEYS = ['audit_retention_days', 'audit_max_entries'] as const;
export type LimitKey = (typeof LIMIT_KEYS)[number];
export type Limits = Pick<SettingValues, LimitKey>;

/** What the log says about the limits: the last value of each, and when it was recorded. */
export type RecordedLimits = Readonly<
  Partial<Record<LimitKey, { readonly value: number; readonly at: string }>>
>;

/** From the record of a limit to the first removal under it, and the age that no limit shortens. */
export const GRACE_MS = 24 * 3_600_000;

/** The detail of `audit_limits`; undefined when the values name no limit. */
export function limitsDetail(values: Readonly<Partial<Record<LimitKey, unknown>>>): string | undefined {
  const named = LIMIT_KEYS.filter((key) => values[key] !== undefined);
  return named.length === 0 ? undefined : named.map((key) => `${key}: ${values[key]}`).join(', ');
}

/** The limits that this entry records. */
export function recordedLimits(entry: {
  readonly action: string;
  readonly detail: string;
  readonly created_at: string;
}): RecordedLimits {
  if (entry.action !== 'audit_limits') return {};
  const found = LIMIT_KEYS.flatMap((key) => {
    const value = new RegExp(`\\b${key}: (\\d+)`).exec(entry.detail)?.[1];
    return value === undefined ? [] : [[key, { value: Number(value), at: entry.created_at }]];
  });
  return Object.fromEntries(found);
}

/** The last record of each limit. One dated in the future, when a clock was wrong, would count for too long. */
export function lastLimits(records: readonly RecordedLimits[], now: Date): RecordedLimits {
  const last: { -readonly [Key in LimitKey]?: RecordedLimits[Key] } = {};
  const present = now.toISOString();
  for (const record of records) {
    for (const key of LIMIT_KEYS) {
      const [one, other] = [record[key], last[key]];
      if (one && one.at <= present && !(other && other.at > one.at)) last[key] = one;
    }
  }
  return last;
}

/**
 * The limits in force that the log has recorded for as long as `grace_ms`; 0 for the others. A row that somebody wrote
 * into the settings table is in force, but is not recorded.
 */
export function actingLimits(
  in_force: Limits,
  recorded: RecordedLimits,
  { now, grace_ms }: { readonly now: Date; readonly grace_ms: number },
): Limits {
  const latest = new Date(now.getTime() - grace_ms).toISOString();
  const acting = (key: LimitKey) => {
    const record = recorded[key];
    return record?.value === in_force[key] && record.at <= latest ? record.value : 0;
  };
  return {
    audit_retention_days: acting('audit_retention_days'),
    audit_max_entries: acting('audit_max_entries'),
  };
}
