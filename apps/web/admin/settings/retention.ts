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

/** From the record of a limit in the audit log to its first removal. */
const GRACE_MS = 24 * 3_600_000;
const FEW = 20;

export function isLimit({ key }: Pick<Setting, 'key'>): boolean {
  return LIMIT_KEYS.some((limit) => limit === key);
}

/** When a saved limit begins to act, if it does not act yet. The audit log says when it was set. */
export function waitingQuery(client: GatewayClient, { key, value }: Setting) {
  const query = { action: 'audit_limits', limit: FEW };
  return queryOptions({
    queryKey: ['audit_limits', key, value],
    queryFn: async ({ signal }) => {
      const records = await take(client.http.GET('/api/auth/audit', { params: { query }, signal }));
      return actsAt(records, { key, value }, Date.now()) ?? null; // a query may not return undefined
    },
  });
}

/** The records are the newest first; the last one that names the limit counts. */
export function actsAt(
  records: readonly { readonly detail: string; readonly created_at: string }[],
  { key, value }: Pick<Setting, 'key' | 'value'>,
  now_ms: number,
): string | undefined {
  const record = records.find(({ detail }) => new RegExp(`\\b${key}: `).test(detail));
  if (!record || !new RegExp(`\\b${key}: ${value}\\b`).test(record.detail)) return undefined;
  const acts_ms = Date.parse(record.created_at) + GRACE_MS;
  return acts_ms > now_ms ? new Date(acts_ms).toISOString() : undefined;
}
