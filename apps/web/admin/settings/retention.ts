import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { Setting, SettingValue } from './settings.ts';

export type AuditExcess = Schemas['AuditExcess'];

const LIMIT_KEYS = ['audit_retention_days', 'audit_max_entries'] as const;
export type AuditLimits = Record<(typeof LIMIT_KEYS)[number], number>;

/** The audit limits after this change; undefined if it changes none, or turns them off. */
export function changedLimits(
  settings: readonly Setting[],
  values: Readonly<Partial<Record<string, SettingValue>>>,
): AuditLimits | undefined {
  if (!LIMIT_KEYS.some((key) => values[key] !== undefined && values[key] !== 0)) return undefined;
  const limit = (name: string) =>
    Number(values[name] ?? settings.find(({ key }) => key === name)?.value ?? 0);
  return {
    audit_retention_days: limit('audit_retention_days'),
    audit_max_entries: limit('audit_max_entries'),
  };
}

export function excessQuery(client: GatewayClient, limits: AuditLimits) {
  return queryOptions({
    queryKey: ['audit_excess', limits],
    queryFn: ({ signal }) =>
      take(client.http.GET('/api/auth/audit/excess', { params: { query: limits }, signal })),
    gcTime: 0, // asked again each time
  });
}
