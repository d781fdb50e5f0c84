import { randomUUID } from 'node:crypto';
import { getTableColumns, isNotNull } from 'drizzle-orm';
import type { RestorePlan } from '#core/ports/repositories/backup.ts';
import { subscriptionOf } from '../webhooks/webhooks.ts';
import type { RestoreDeps } from './restore-users.ts';

/** Restores servers, revoked host keys, webhooks, settings and branding. */
export async function restoreInventory(deps: RestoreDeps, plan: RestorePlan): Promise<void> {
  await restoreServers(deps, plan.servers);
  await restoreRevokedKeys(deps, plan.revoked_keys);
  await restoreWebhooks(deps, plan.webhooks);
  await restoreSettings(deps, plan);
  await restoreBranding(deps, plan);
}

type Servers = RestorePlan['servers'];

async function restoreServers({ tx, tables, bulk }: RestoreDeps, plan: Servers): Promise<void> {
  const { servers } = tables;
  const { id, import_ref, last_connected_at, created_at, ...changing } = getTableColumns(servers);
  const { jump_via_id } = changing;
  const restore_id = randomUUID();
  const refs = plan.added.map((_row, index) => `${restore_id}:${index}`);
  const added = plan.added.map((row, index) => ({ ...row, import_ref: refs[index] }));
  await bulk.insert(servers, { id, ...changing, import_ref, last_connected_at, created_at }, added);
  await bulk.update(servers, { id, ...changing }, plan.changed);
  const ids = await idsOf(tx, tables, refs);
  const links = [
    ...plan.added.map((row, index) => ({ id: ids[index], jump: row.jump_via_added })),
    ...plan.changed.map((row) => ({ id: row.id, jump: row.jump_via_added })),
  ].flatMap(({ id, jump }) => (jump === undefined ? [] : [{ id, jump_via_id: ids[jump] }]));
  await bulk.update(servers, { id, jump_via_id }, links);
  // A removed server may be the jump host of another removed one.
  await bulk.update(
    servers,
    { id, jump_via_id },
    plan.removed.map((gone) => ({ id: gone, jump_via_id: null })),
  );
  await bulk.remove(servers, id, plan.removed);
}

/** In the order in which they were added. */
async function idsOf(
  { db }: RestoreDeps['tx'],
  { servers }: RestoreDeps['tables'],
  refs: readonly string[],
): Promise<(number | undefined)[]> {
  if (refs.length === 0) return [];
  const { id, import_ref } = servers;
  const rows = await db.select({ id, import_ref }).from(servers).where(isNotNull(import_ref));
  const ids = new Map(rows.map((row) => [row.import_ref, row.id]));
  return refs.map((ref) => ids.get(ref));
}

async function restoreRevokedKeys(
  { tables, bulk }: RestoreDeps,
  plan: RestorePlan['revoked_keys'],
): Promise<void> {
  const { id: _id, ...columns } = getTableColumns(tables.revoked_host_keys);
  await bulk.insert(tables.revoked_host_keys, columns, plan.added);
}

async function restoreWebhooks({ tables, bulk }: RestoreDeps, plan: RestorePlan['webhooks']): Promise<void> {
  const { webhooks } = tables;
  const { id, last_fired_at, last_status, created_at, ...changing } = getTableColumns(webhooks);
  const subscribed = <Row extends { readonly events: readonly string[] }>(row: Row) => ({
    ...row,
    subscription: subscriptionOf(row.events),
  });
  await bulk.remove(webhooks, id, plan.removed);
  await bulk.update(webhooks, { id, ...changing }, plan.changed.map(subscribed));
  const columns = { id, ...changing, last_fired_at, last_status, created_at };
  await bulk.insert(webhooks, columns, plan.added.map(subscribed));
}

async function restoreSettings({ tx, tables, bulk }: RestoreDeps, { settings: plan, at }: RestorePlan) {
  const { settings } = tables;
  await bulk.remove(settings, settings.key, plan.removed);
  for (const { key, value } of plan.saved) {
    const change = { value, updated_at: at };
    await tx.db
      .insert(settings)
      .values({ key, ...change })
      .onConflictDoUpdate({ target: settings.key, set: change });
  }
}

async function restoreBranding({ tx, tables }: RestoreDeps, { branding: plan, at }: RestorePlan) {
  const { branding, branding_images } = tables;
  if (plan === undefined) return;
  await tx.db.delete(branding_images);
  await tx.db.delete(branding);
  if (plan === null) return;
  await tx.db.insert(branding).values({ id: 1, ...plan.row, updated_at: at });
  for (const image of plan.images) await tx.db.insert(branding_images).values({ ...image, updated_at: at });
}
