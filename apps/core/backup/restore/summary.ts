import { serverLabel } from '../../audit/trail.ts';
import { quoted } from '../../hosts/imports/warning-list.ts';
import type { BackupRows, RestorePlan, StoredUserRow } from '../../ports/repositories/backup.ts';
import { isSame } from './rows.ts';

/** One kind of change made by a restore, for the audit log. */
export interface RestoreSummary {
  readonly what: string;
  /** Names of what was changed. */
  readonly items: readonly string[];
}

/** What was created, changed and removed, with kinds of fields but never values. */
export function summaryOf(plan: RestorePlan, rows: BackupRows): RestoreSummary[] {
  const revoked = {
    what: 'host keys revoked',
    items: plan.revoked_keys.added.map(({ fingerprint }) => fingerprint),
  };
  const summary = [
    ...userSummary(plan, rows),
    ...keySummary(plan, rows),
    ...serverSummary(plan, rows),
    revoked,
  ];
  return [...summary, { what: 'audit log restored', items: chainItems(plan) }].filter(
    ({ items }) => items.length > 0,
  );
}

function userSummary(
  { users: { added, changed, removed } }: RestorePlan,
  { users }: BackupRows,
): RestoreSummary[] {
  const before = new Map(users.map((row) => [row.id, row]));
  return [
    {
      what: 'users created',
      items: added.map(({ username, is_admin }) => (is_admin ? `${username} (administrator)` : username)),
    },
    {
      what: 'users changed',
      items: changed.map((row) => `${row.username} (${changesOf(row, before.get(row.id)).join(', ')})`),
    },
    { what: 'users removed', items: namesOf(removed, before, ({ username }) => username) },
  ];
}

type Field = keyof StoredUserRow;

const KINDS: readonly (readonly [kind: string, fields: readonly Field[]])[] = [
  ['name', ['username']],
  ['password', ['password_hash', 'must_change_password']],
  ['admin', ['is_admin', 'is_default_admin']],
  ['groups', ['allowed_groups']],
  ['second factor', ['totp_enabled', 'totp_secret_sealed', 'totp_last_step', 'recovery_digests']],
  ['directory', ['source', 'directory_id']],
  ['disabled', ['disabled']],
];

function changesOf(row: StoredUserRow, old: StoredUserRow | undefined): string[] {
  const isChanged = (field: Field) => !isSame(row[field], old?.[field]);
  return KINDS.filter(([, fields]) => fields.some(isChanged)).map(([kind]) => kind);
}

function keySummary(
  { api_keys: { added, removed } }: RestorePlan,
  { api_keys }: BackupRows,
): RestoreSummary[] {
  const before = new Map(api_keys.map((row) => [row.id, row]));
  const labelOf = ({ name, key_prefix }: { readonly name: string; readonly key_prefix: string }) =>
    `${name} (${key_prefix}…)`;
  return [
    { what: 'API keys created', items: added.map((key) => `${labelOf(key)} of ${key.owner_key}`) },
    { what: 'API keys removed', items: namesOf(removed, before, labelOf) },
  ];
}

function serverSummary(
  { servers: { added, changed, removed } }: RestorePlan,
  { servers }: BackupRows,
): RestoreSummary[] {
  const before = new Map(servers.map((row) => [row.id, row]));
  return [
    { what: 'servers created', items: added.map(({ name }) => name) },
    { what: 'servers changed', items: changed.map(serverLabel) },
    { what: 'servers removed', items: namesOf(removed, before, serverLabel) },
  ];
}

function namesOf<Row>(
  ids: readonly number[],
  rows: ReadonlyMap<number, Row>,
  nameOf: (row: Row) => string,
): string[] {
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [] : [nameOf(row)];
  });
}

/** Number of entries by the instance that claims to have written them. */
function chainItems({ audit }: RestorePlan): string[] {
  const counts = new Map<string, number>();
  for (const { head, entries } of audit?.chains ?? []) {
    counts.set(head.instance_id, (counts.get(head.instance_id) ?? 0) + entries.length);
  }
  return [...counts].map(([instance_id, count]) => `${count} entries of ${quoted(instance_id)}`);
}
