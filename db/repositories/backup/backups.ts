import { sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import { createGiveWay } from '#core/lib/concurrency/give-way.ts';
import type {
  BackupRepository,
  BackupRows,
  RestorePlan,
  StoredUserRow,
} from '#core/ports/repositories/backup.ts';
import {
  isForeignKeyViolation,
  isPassing,
  isUnavailable,
  isUniqueViolation,
  withoutValues,
} from '../../driver-errors.ts';
import { reserving } from '../../query/reserve-ids.ts';
import type { LongTransaction, Store } from '../../store.ts';
import { PASSING_FIELDS, readBackupRows } from './reading.ts';
import { restoreAudit } from './restore-audit.ts';
import { restoreInventory } from './restore-inventory.ts';
import { createBulk } from './restore-statements.ts';
import { restoreUsers } from './restore-users.ts';

export function createBackupRepository(store: Store): BackupRepository {
  return {
    read: () => store.inTurns('reading', ({ db }) => readBackupRows(db, store)),

    reserveIds: (table, count) => reserving(store, table)(count),

    async restore(plan, read) {
      try {
        await store.inTurns('writing', async (tx) => {
          await lock(store, tx, plan);
          await assertUnchanged(read, await readBackupRows(tx.db, store), plan);
          await write(store, tx, plan);
        });
      } catch (error) {
        if (!isOvertaken(error)) throw error;
        throw new Fault('backup_overtaken', undefined, { cause: withoutValues(error) });
      }
    },
  };
}

async function write(store: Store, tx: LongTransaction, plan: RestorePlan): Promise<void> {
  const deps = { tx, tables: store.tables, bulk: createBulk(store, tx) };
  await restoreUsers(deps, plan);
  await restoreInventory(deps, plan);
  await restoreAudit(deps, plan);
}

/** Locks the tables against writes, so that reads stay valid; SQLite has only one writer anyway. */
async function lock(
  { dialect, tables }: Store,
  { run }: LongTransaction,
  { audit }: RestorePlan,
): Promise<void> {
  if (dialect !== 'postgres') return;
  const { users, servers, api_keys, quick_host_keys, revoked_host_keys } = tables;
  const { webhooks, snippets, settings, branding } = tables;
  // Referenced tables first, in the same order as a cascading delete.
  const hosts = [users, servers, api_keys, quick_host_keys, revoked_host_keys];
  const locked = [...hosts, webhooks, snippets, settings, branding];
  const all = [...locked, tables.branding_images, ...(audit ? [tables.audit_chains, tables.audit_roll] : [])];
  const names = sql.join(
    all.map((table) => sql`${table}`),
    sql`, `,
  );
  await run(sql`lock table ${names} in share row exclusive mode`);
}

/**
 * Verifies that the rows the plan was made from have not changed. Users' own data is not compared: the plan tolerates
 * changes to it, and otherwise any user could block a restore.
 */
async function assertUnchanged(before: BackupRows, now: BackupRows, plan: RestorePlan): Promise<void> {
  const changed = new Set(plan.users.changed.map(({ id }) => id));
  await assertSame(before.users, now.users, (row) => textOfUser(row, changed.has(row.id)));
  for (const kind of touchedBy(plan)) await assertSame<unknown>(before[kind], now[kind], textOf);
  const chainsOf = ({ chains, roll }: BackupRows) => JSON.stringify([chains.map(({ id }) => id), roll]);
  if (plan.audit && chainsOf(before) !== chainsOf(now)) throw new Fault('backup_overtaken');
}

async function assertSame<Row>(
  before: readonly Row[],
  now: readonly Row[],
  toText: (row: Row) => string,
): Promise<void> {
  if (before.length !== now.length) throw new Fault('backup_overtaken');
  const giveWay = createGiveWay();
  const pairs = now.map((row, i): [Row, Row | undefined] => [row, before[i]]);
  for (const [row, old] of pairs) {
    await giveWay();
    if (old === undefined || toText(old) !== toText(row)) throw new Fault('backup_overtaken');
  }
}

type AdministeredKind = 'servers' | 'revoked_keys' | 'webhooks' | 'settings' | 'branding' | 'images';

/** The changed tables among those that only administrators write. */
function touchedBy({ servers, revoked_keys, webhooks, settings, branding }: RestorePlan): AdministeredKind[] {
  const isTouching = (...changes: readonly (readonly unknown[])[]) =>
    changes.some(({ length }) => length > 0);
  const kinds: readonly (readonly [AdministeredKind, boolean])[] = [
    ['servers', isTouching(servers.added, servers.changed, servers.removed)],
    ['revoked_keys', isTouching(revoked_keys.added)],
    ['webhooks', isTouching(webhooks.added, webhooks.changed, webhooks.removed)],
    ['settings', isTouching(settings.saved, settings.removed)],
    ['branding', branding !== undefined],
    ['images', branding !== undefined],
  ];
  return kinds.filter(([, is_touched]) => is_touched).map(([kind]) => kind);
}

function textOf(row: unknown): string {
  return JSON.stringify(row, (name, value: unknown) => (PASSING_FIELDS.includes(name) ? undefined : value));
}

/** The identity, which every plan depends on; for a rewritten user, everything except a pending second factor. */
function textOfUser(row: StoredUserRow, is_changed: boolean): string {
  const { totp_enabled, totp_secret_sealed } = row;
  if (is_changed) {
    return JSON.stringify({ ...row, totp_secret_sealed: totp_enabled ? totp_secret_sealed : null });
  }
  const { id, username, is_admin, is_default_admin, disabled, source, directory_id, created_at } = row;
  return JSON.stringify([
    id,
    username,
    is_admin,
    is_default_admin,
    disabled,
    source,
    directory_id,
    created_at,
  ]);
}

/** A conflicting change was made in the meantime. */
function isOvertaken(error: unknown): boolean {
  if (error instanceof Fault) return false;
  const is_refused = isUniqueViolation(error) || isForeignKeyViolation(error);
  return is_refused || (isPassing(error) && !isUnavailable(error));
}
