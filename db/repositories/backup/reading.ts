import { setImmediate as breathe } from 'node:timers/promises';
import { asc, gt } from 'drizzle-orm';
import type { BackupRows } from '#core/ports/repositories/backup.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Db, Store } from '../../store.ts';
import { userColumns } from '../accounts/user-columns.ts';
import { serverColumns } from '../hosts/server-columns.ts';
import { webhookColumns } from '../webhooks/webhooks.ts';

const PAGE = 250; // rows per read: a few milliseconds

/** Columns that change all the time and that no plan depends on. */
export const PASSING_FIELDS: readonly string[] = [
  'last_connected_at',
  'key_exchange',
  'server_version',
  'last_used_at',
  'last_fired_at',
  'last_status',
];

/** The columns of `StoredUserRow`. */
export function storedUserColumns(users: Tables['users']) {
  const { directory_id, totp_secret_sealed, totp_last_step, recovery_digests } = users;
  return { ...userColumns(users), directory_id, totp_secret_sealed, totp_last_step, recovery_digests };
}

/** Reads in pages, which lets other work run in between. */
export async function readBackupRows(db: Db, { tables }: Store): Promise<BackupRows> {
  const { audit_chains, audit_roll, branding, branding_images, settings } = tables;
  const { app_name, tagline, colors, colors_dark } = branding;
  const { name, type, data, digest } = branding_images;
  const { chains, signature } = audit_roll;
  const [roll] = await db.select({ chains, signature }).from(audit_roll);
  return {
    ...(await readLists(db, tables)),
    settings: await db
      .select({ key: settings.key, value: settings.value })
      .from(settings)
      .orderBy(asc(settings.key)),
    branding: await db.select({ app_name, tagline, colors, colors_dark }).from(branding),
    images: await db.select({ name, type, data, digest }).from(branding_images).orderBy(asc(name)),
    chains: await db.select().from(audit_chains).orderBy(asc(audit_chains.number)),
    roll,
  };
}

type Lists = Pick<
  BackupRows,
  'users' | 'servers' | 'api_keys' | 'quick_keys' | 'revoked_keys' | 'webhooks' | 'snippets'
>;

async function readLists(db: Db, tables: Tables): Promise<Lists> {
  const { users, servers, api_keys, quick_host_keys, revoked_host_keys, webhooks, snippets } = tables;
  return {
    users: await allPages((after) =>
      db
        .select(storedUserColumns(users))
        .from(users)
        .where(gt(users.id, after))
        .orderBy(asc(users.id))
        .limit(PAGE),
    ),
    servers: await allPages((after) =>
      db
        .select(serverColumns(servers))
        .from(servers)
        .where(gt(servers.id, after))
        .orderBy(asc(servers.id))
        .limit(PAGE),
    ),
    api_keys: await allPages((after) =>
      db.select().from(api_keys).where(gt(api_keys.id, after)).orderBy(asc(api_keys.id)).limit(PAGE),
    ),
    quick_keys: await allPages((after) =>
      db
        .select()
        .from(quick_host_keys)
        .where(gt(quick_host_keys.id, after))
        .orderBy(asc(quick_host_keys.id))
        .limit(PAGE),
    ),
    revoked_keys: await allPages((after) =>
      db
        .select()
        .from(revoked_host_keys)
        .where(gt(revoked_host_keys.id, after))
        .orderBy(asc(revoked_host_keys.id))
        .limit(PAGE),
    ),
    webhooks: await allPages((after) =>
      db
        .select(webhookColumns(webhooks))
        .from(webhooks)
        .where(gt(webhooks.id, after))
        .orderBy(asc(webhooks.id))
        .limit(PAGE),
    ),
    snippets: await allPages((after) =>
      db.select().from(snippets).where(gt(snippets.id, after)).orderBy(asc(snippets.id)).limit(PAGE),
    ),
  };
}

async function allPages<Row extends { readonly id: number }>(
  pageAfter: (id: number) => PromiseLike<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = await pageAfter(0); page.length > 0; page = await pageAfter(rows.at(-1)?.id ?? 0)) {
    rows.push(...page);
    await breathe();
  }
  return rows;
}
