import { keepPreviousData, queryOptions } from '@tanstack/solid-query';
import type { AuditVerificationEvent } from '#client/audit-verification.ts';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { paths } from '#client/schema.gen.ts';
import type { TextKey, Translate } from '../../i18n/languages.ts';
import { formatNumber } from '../../lib/format.ts';

export type AuditEntry = Schemas['ListedAuditEntry'];
export type AuditVerdict = Schemas['AuditVerdict'];
export type AuditVerificationStatus = Schemas['AuditVerificationStatus'];

export const AUDIT_PAGE = 100;
export const FIELDS = ['username', 'action', 'via', 'search', 'since', 'until'] as const;

type Asked = NonNullable<paths['/api/auth/audit']['get']['parameters']['query']>;
type Via = NonNullable<Asked['via']>;

/** How a user came, in the order of the filter. A new transport does not compile before it has a name. */
const VIA_NAMES: Readonly<Record<Via, TextKey>> = {
  page: 'via_page',
  api: 'via_api',
  embed: 'via_embed',
  agent: 'via_agent',
};

export const VIAS = Object.keys(VIA_NAMES).filter(isVia);

function isVia(value: string): value is Via {
  return Object.hasOwn(VIA_NAMES, value);
}

/** In the user's language, as far as it is known. */
export function viaOf(via: string | undefined, t: Translate): string {
  if (via === undefined) return '';
  return isVia(via) ? t(VIA_NAMES[via]) : via;
}

/** The filter as the page's address stores it; times in local time, as date-time inputs have them. */
export interface AuditFilter extends Record<(typeof FIELDS)[number], string> {
  /** Starts at 0. */
  readonly page: number;
}

/** Untrusted query parameters; only the first of repeated values counts. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

export function filterOf(query: Query): AuditFilter {
  const text = (name: string) => [query[name]].flat()[0] ?? '';
  const page = Number(text('page'));
  return {
    username: text('username'),
    action: text('action'),
    via: text('via'),
    search: text('search'),
    since: text('since'),
    until: text('until'),
    page: Number.isSafeInteger(page) && page > 0 ? page : 0,
  };
}

/** Query parameters for the address; empty values are removed. */
export function queryOf(filter: AuditFilter): Record<string, string | undefined> {
  const set = (value: string) => value || undefined;
  return {
    username: set(filter.username),
    action: set(filter.action),
    via: set(filter.via),
    search: set(filter.search),
    since: set(filter.since),
    until: set(filter.until),
    page: set(filter.page > 0 ? String(filter.page) : ''),
  };
}

type Conditions = Partial<Record<Exclude<(typeof FIELDS)[number], 'via'>, string> & { via: Via }>;

/** The filter as the API takes it, without empty values. */
export function conditionsOf(filter: AuditFilter): Conditions {
  const { username, action, via, search, since, until } = filter;
  const conditions = {
    username: username.trim(),
    action,
    search: search.trim(),
    since: isoOf(since),
    until: isoOf(until),
  };
  const set = Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== ''));
  return isVia(via) ? { ...set, via } : set;
}

function isoOf(local: string): string {
  const moment = new Date(local);
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString();
}

export function isFiltered(filter: AuditFilter): boolean {
  return Object.keys(conditionsOf(filter)).length > 0;
}

/** Whether `until` is not after `since`, so that nothing can match. */
export function isBackwards({ since, until }: Pick<AuditFilter, 'since' | 'until'>): boolean {
  const [from, to] = [isoOf(since), isoOf(until)];
  return from !== '' && to !== '' && to <= from;
}

type DetailedEntry = Pick<AuditEntry, 'action' | 'detail'> & {
  readonly phrase?: AuditEntry['phrase'] | undefined;
};

const ABOUT_SETTINGS: ReadonlySet<string> = new Set(['audit_limits', 'settings_reset', 'settings_update']);

/** The detail in the user's language, as far as it is a sentence. */
export function detailOf({ action, detail, phrase }: DetailedEntry, t: Translate): string {
  const text = phrase ? t.phrase(phrase, detail) : detail;
  const is_late = phrase?.written_late && text !== detail;
  const whole = is_late ? `${text}; ${t('written_late')}`.replace(/^; /, '') : text;
  return ABOUT_SETTINGS.has(action) ? withSettingNames(whole, t) : whole;
}

/** Whether the entry tells the end of something that was not completed. */
export function isStopped({ phrase }: Pick<DetailedEntry, 'phrase'>): boolean {
  return phrase?.code === 'copy_stopped' || phrase?.code === 'extract_stopped';
}

/** The action in the user's language. */
export function actionOf(entry: Pick<DetailedEntry, 'action' | 'phrase'>, t: Translate): string {
  const name = t.optional(`action_${entry.action}`) ?? entry.action;
  return isStopped(entry) ? t('audit_stopped', { action: name }) : name;
}

/** Settings by the names that the settings page has. */
function withSettingNames(detail: string, t: Translate): string {
  return detail.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (key) => t.optional(`setting_${key}`) ?? key);
}

export interface Total {
  readonly count: number;
  /** False if the gateway stopped counting there. */
  readonly exact: boolean;
}

export function totalOf(headers: Headers): Total {
  return {
    count: Number(headers.get('X-Total-Count') ?? 0),
    exact: headers.get('X-Total-Count-Exact') !== 'false',
  };
}

export function formatTotal({ count, exact }: Total, language: string): string {
  return `${formatNumber(count, language)}${exact ? '' : '+'}`;
}

/** The range of entries on a page, counted from 1, and whether older ones exist. */
export function spanOf(page: number, shown: number, { count, exact }: Total) {
  const from = page * AUDIT_PAGE + 1;
  const to = page * AUDIT_PAGE + shown;
  return { from, to, has_older: to < count || (!exact && shown === AUDIT_PAGE) };
}

export function auditQuery(client: GatewayClient, filter: AuditFilter) {
  const query = { ...conditionsOf(filter), limit: AUDIT_PAGE, offset: filter.page * AUDIT_PAGE };
  return queryOptions({
    queryKey: ['audit', query],
    queryFn: async ({ signal }) => {
      const answer = await client.http.GET('/api/auth/audit', { params: { query }, signal });
      return { page: filter.page, entries: answer.data ?? [], total: totalOf(answer.response.headers) };
    },
    placeholderData: keepPreviousData,
  });
}

export function auditActionsQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['audit_actions'],
    queryFn: () => take(client.http.GET('/api/auth/audit/actions')),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type ExportFormat = 'csv' | 'ndjson';

export async function exportAudit(
  client: GatewayClient,
  filter: AuditFilter,
  format: ExportFormat,
): Promise<Blob> {
  const params = { query: { ...conditionsOf(filter), format } };
  return blobOf(await client.http.GET('/api/auth/audit/export', { params, parseAs: 'blob' }));
}

/** All entries before this instant. */
export async function exportBefore(
  client: GatewayClient,
  until: string,
  format: ExportFormat,
): Promise<Blob> {
  const params = { query: { until, format } };
  return blobOf(await client.http.GET('/api/auth/audit/export', { params, parseAs: 'blob' }));
}

/** Always a blob: the request has `parseAs: 'blob'`, and refusals throw. */
function blobOf(answer: { readonly data?: unknown }): Blob {
  return answer.data as Blob;
}

export type VerificationProgress = Pick<
  Extract<AuditVerificationEvent, { type: 'progress' }>,
  'checked' | 'total'
>;

/** How far the last verification got. */
export function auditVerifiedQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['audit_verified'],
    queryFn: () => take(client.http.GET('/api/auth/audit/verified')),
  });
}
