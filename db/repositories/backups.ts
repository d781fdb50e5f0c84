import { sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import { createGiveWay } from '#core/lib/give-way.ts';
import type { BackupRepository, BackupRows, RestorePlan } from '#core/ports/backup.ts';
import {
  isForeignKeyViolation,
  isPassing,
  isUnavailable,
  isUniqueViolation,
  withoutValues,
} from '../driver-errors.ts';
import type { LongTransaction, Store } from '../store.ts';
import { PASSING_FIELDS, readBackupRows } from './backup-reading.ts';
import { restoreAudit } from './restore-audit.ts';
import { restoreInventory } from './restore-inventory.ts';
import { createBulk } from './restore-statements.ts';
import { restoreUsers } from './restore-users.ts';

export function createBackupRepository(store: Store): BackupRepository {
  return {
    read: () => store.inTurns('reading', ({ db }) => readBackupRows(db, store)),

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

/** From now on nobody writes there, and what is read stays true; SQLite knows only one writer anyway. */
async function lock(
  { dialect, tables }: Store,
  { run }: LongTransaction,
  { audit }: RestorePlan,
): Promise<void> {
  if (dialect !== 'postgres') return;
  const { users, servers, api_keys, quick_host_keys, webhooks, snippets, settings, branding } = tables;
  // Those that others refer to first, the order in which a removal that reaches further takes them.
  const locked = [users, servers, api_keys, quick_host_keys, webhooks, snippets, settings, branding];
  const all = [...locked, tables.branding_images, ...(audit ? [tables.audit_chains, tables.audit_roll] : [])];
  const names = sql.join(
    all.map((table) => sql`${table}`),
    sql`, `,
  );
  await run(sql`lock table ${names} in share row exclusive mode`);
}

/** The plan was made of what was read; other rows would make another one. */
async function assertUnchanged(before: BackupRows, now: BackupRows, { audit }: RestorePlan): Promise<void> {
  const giveWay = createGiveWay();
  const kinds = Object.keys(before).filter((kind) => kind !== 'chains' && kind !== 'roll');
  for (const kind of kinds) {
    const [old, present] = [rowsOf(before, kind), rowsOf(now, kind)];
    if (old.length !== present.length) throw new Fault('backup_overtaken');
    for (const [i, row] of old.entries()) {
      await giveWay();
      if (textOf(row) !== textOf(present[i])) throw new Fault('backup_overtaken');
    }
  }
  const chainsOf = ({ chains, roll }: BackupRows) => JSON.stringify([chains.map(({ id }) => id), roll]);
  if (audit && chainsOf(before) !== chainsOf(now)) throw new Fault('backup_overtaken');
}

function rowsOf(rows: BackupRows, kind: string): readonly unknown[] {
  const found: unknown = Reflect.get(rows, kind);
  return Array.isArray(found) ? found : [];
}

function textOf(row: unknown): string {
  return JSON.stringify(row, (name, value: unknown) => (PASSING_FIELDS.includes(name) ? undefined : value));
}

/** Somebody wrote what does not go together with it. */
function isOvertaken(error: unknown): boolean {
  if (error instanceof Fault) return false;
  const is_refused = isUniqueViolation(error) || isForeignKeyViolation(error);
  return is_refused || (isPassing(error) && !isUnavailable(error));
}
