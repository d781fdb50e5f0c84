import { getTableColumns } from 'drizzle-orm';
import { toUsernameKey } from '#core/model/accounts/user.ts';
import type { NamedOwner, RestorePlan, StoredUserRow } from '#core/ports/repositories/backup.ts';
import type { Tables } from '../../schema/schema.ts';
import type { LongTransaction } from '../../store.ts';
import type { Bulk } from './restore-statements.ts';

export interface RestoreDeps {
  readonly tx: LongTransaction;
  readonly tables: Tables;
  readonly bulk: Bulk;
}

/** Restores accounts and what belongs to them. */
export async function restoreUsers(deps: RestoreDeps, plan: RestorePlan): Promise<void> {
  const { bulk, tables } = deps;
  await restoreAccounts(deps, plan.users);
  await bulk.remove(tables.sessions, tables.sessions.user_id, plan.signed_out);
  await bulk.remove(tables.pending_sign_ins, tables.pending_sign_ins.user_id, plan.signed_out);
  await restoreOwned(deps, plan);
}

async function restoreAccounts({ tables, bulk }: RestoreDeps, plan: RestorePlan['users']): Promise<void> {
  const { users } = tables;
  const { id, created_at, last_sign_in_at, ...changing } = getTableColumns(users);
  const { directory_id, is_default_admin } = changing;
  await bulk.remove(users, id, plan.removed);
  // Unique values are cleared first, so that they can move between rows.
  const nothing = plan.changed.map((row) => ({ id: row.id, directory_id: null, is_default_admin: null }));
  await bulk.update(users, { id, directory_id, is_default_admin }, nothing);
  await bulk.update(users, { id, ...changing }, plan.changed.map(toValues));
  await bulk.insert(users, { id, ...changing, created_at }, plan.added.map(toValues));
}

function toValues<Row extends Omit<StoredUserRow, 'id'>>(row: Row) {
  const is_default_admin = row.is_default_admin ? true : null; // null instead of false, because the column is unique
  return { ...row, is_default_admin, username_key: toUsernameKey(row.username) };
}

async function restoreOwned({ tx, tables, bulk }: RestoreDeps, plan: RestorePlan): Promise<void> {
  const { users, api_keys, quick_host_keys, snippets } = tables;
  const rows = await tx.db.select({ id: users.id, key: users.username_key }).from(users);
  const ids = new Map(rows.map(({ id, key }) => [key, id]));
  const owned = <Row extends NamedOwner>({ owner_key, ...row }: Row) => ({
    ...row,
    user_id: ids.get(owner_key),
  });
  const restore = async (
    table: typeof api_keys | typeof quick_host_keys | typeof snippets,
    changes: RestorePlan['api_keys' | 'quick_keys' | 'snippets'],
  ) => {
    const { id, ...columns } = getTableColumns(table);
    await bulk.remove(table, id, changes.removed);
    await bulk.update(table, { id, ...columns }, changes.changed.map(owned));
    await bulk.insert(table, columns, changes.added.map(owned));
  };
  await restore(api_keys, plan.api_keys);
  await restore(quick_host_keys, plan.quick_keys);
  await restore(snippets, plan.snippets);
}
