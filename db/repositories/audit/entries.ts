import { and, desc, eq, getTableColumns, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { toUsernameKey } from '#core/model/accounts/user.ts';
import type { AuditFilter, AuditRecord, AuditRow } from '#core/model/audit/audit.ts';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import { containing } from '../../query/containing.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

export type AuditPages = Pick<AuditRepository, 'page' | 'count' | 'following'>;

type Entries = Tables['audit_entries'];

/** The columns of `AuditRow`; the table has further internal ones. */
export function auditColumns(entries: Entries) {
  const { username_key, search_key, facets, ...columns } = getTableColumns(entries);
  return columns;
}

/** Lower-cased in JavaScript, because the databases disagree on lower case outside ASCII. */
export function toSearchKey({ username, action, detail, ip_address }: AuditRecord): string {
  return [username, action, detail, ip_address].join('\n').toLowerCase();
}

export function newestFirst(entries: Entries) {
  return [desc(entries.created_at), desc(entries.id)];
}

export function olderThan(entries: Entries, { created_at, id }: Pick<AuditRow, 'created_at' | 'id'>): SQL {
  return sql`(${entries.created_at}, ${entries.id}) < (${sql.param(created_at, entries.created_at)}, ${id})`;
}

/** The part of the filter that indexes can answer: everything except the search. */
export function indexed(entries: Entries, { username, action, actions, via, since, until }: AuditFilter) {
  return and(
    username === undefined ? undefined : eq(entries.username_key, toUsernameKey(username)),
    action === undefined ? undefined : eq(entries.action, action),
    actions === undefined ? undefined : ofAny(entries, [actions].flat()),
    via === undefined ? undefined : eq(entries.via, via),
    since === undefined ? undefined : gte(entries.created_at, since),
    until === undefined ? undefined : lt(entries.created_at, until),
  );
}

/** A condition on one value is one that the indexes for it can answer. */
function ofAny(entries: Entries, actions: readonly string[]): SQL {
  const [only, ...others] = actions;
  return only !== undefined && others.length === 0
    ? eq(entries.action, only)
    : inArray(entries.action, [...actions]);
}

/** The texts that the search key of an entry must contain, without those that another one contains. */
export function needlesOf({ search = '', searches = [], address = '' }: AuditFilter): readonly string[] {
  const typed = [search, ...[searches].flat(), address === '' ? '' : `\n${address}`];
  const texts = [...new Set(typed.map((text) => text.toLowerCase()))];
  return texts.filter(
    (text) => !texts.some((other) => other !== text && other.includes(text)) && text !== '',
  );
}

/** How many of these entries one statement reads: each text is looked for in all of them. */
export function sliceFor(filter: AuditFilter, entries: number): number {
  return Math.ceil(entries / Math.max(1, needlesOf(filter).length));
}

export function sought({ dialect, tables: { audit_entries } }: Store, filter: AuditFilter): SQL | undefined {
  return and(...needlesOf(filter).map((text) => containing(dialect, audit_entries.search_key, text)));
}

export function toFlag(condition: SQL | undefined): SQL<boolean> {
  return sql`(${condition ?? sql`true`})`.mapWith(Boolean);
}
