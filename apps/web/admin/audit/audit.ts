import { keepPreviousData, queryOptions } from '@tanstack/solid-query';
import type { AuditVerificationEvent } from '#client/audit-verification.ts';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { paths } from '#client/schema.gen.ts';
import type { TextKey, Translate } from '../../i18n/languages.ts';
import { formatNumber } from '../../lib/format.ts';

export type AuditEntry = Schemas['ListedAuditEntry'];
export type AuditVerdict = Schemas['AuditVerdict'];
export type AuditVerificationStatus = Schemas['AuditVerificationStatus'];

export const AUDIT_PAGE = 500; // what somebody did to hundreds of files at once is one row

type Asked = NonNullable<paths['/api/auth/audit']['get']['parameters']['query']>;
type Via = NonNullable<Asked['via']>;
/** The filter as the API takes it. */
export type AuditConditions = Omit<Asked, 'limit' | 'offset'>;

/** How a user came, in the order of the filter. A new transport does not compile before it has a name. */
const VIA_NAMES: Readonly<Record<Via, TextKey>> = {
  page: 'via_page',
  api: 'via_api',
  embed: 'via_embed',
  agent: 'via_agent',
};

export const VIAS = Object.keys(VIA_NAMES).filter(isVia);

export function isVia(value: string): value is Via {
  return Object.hasOwn(VIA_NAMES, value);
}

/** In the user's language, as far as it is known. */
export function viaOf(via: string | undefined, t: Translate): string {
  if (via === undefined) return '';
  return isVia(via) ? t(VIA_NAMES[via]) : via;
}

type DetailedEntry = Pick<AuditEntry, 'action' | 'detail'> & {
  readonly phrase?: AuditEntry['phrase'] | undefined;
};

const ABOUT_SETTINGS: ReadonlySet<string> = new Set(['audit_limits', 'settings_reset', 'settings_update']);
/** Fields whose name in the form is not their own. */
const FIELD_NAMES: Readonly<Record<string, TextKey>> = {
  jump_via_id: 'jump_host',
  private_key: 'private_key',
  auth_method: 'auth_method',
  sftp_enabled: 'sftp_enabled',
  terminal_encoding: 'terminal_encoding',
  terminal_type: 'terminal_type',
};

/** The detail in the user's language, as far as it is a sentence. */
export function detailOf({ action, detail, phrase }: DetailedEntry, t: Translate): string {
  const text = phrase ? t.phrase(phrase, detail) : detail;
  const is_late = phrase?.written_late && text !== detail;
  const whole = is_late ? `${text}; ${t('written_late')}`.replace(/^; /, '') : text;
  if (ABOUT_SETTINGS.has(action)) return withSettingNames(whole, t);
  return action === 'server_update' ? withFieldNames(whole, t) : whole;
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

/** Fields by the names that their form has. */
function withFieldNames(detail: string, t: Translate): string {
  const [label = '', ...rest] = detail.split(/(?<=\(#\d+\)): /);
  const fields = rest.join(': ').replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (field) => {
    const name = FIELD_NAMES[field];
    return name ? t(name) : field;
  });
  return rest.length > 0 ? `${label}: ${fields}` : detail;
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

export function auditQuery(client: GatewayClient, conditions: AuditConditions, page: number) {
  const query = { ...conditions, limit: AUDIT_PAGE, offset: page * AUDIT_PAGE };
  return queryOptions({
    queryKey: ['audit', query],
    queryFn: async ({ signal }) => {
      const answer = await client.http.GET('/api/auth/audit', { params: { query }, signal });
      return { page, entries: answer.data ?? [], total: totalOf(answer.response.headers) };
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
  conditions: AuditConditions,
  format: ExportFormat,
): Promise<Blob> {
  const params = { query: { ...conditions, format } };
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
