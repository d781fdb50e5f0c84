import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Table } from 'drizzle-orm';
import type { Log } from '#core/ports/runtime.ts';
import { driverMessage, isPassing } from '../driver-errors.ts';
import { patiently } from '../patience.ts';
import type { Tables } from '../schema/schema.ts';
import type { Store } from '../store.ts';
import { describeTables } from './describe.ts';
import { introspect, type LiveSchema } from './introspect.ts';
import { MigrationFailed } from './migration-failed.ts';
import { type Change, planChanges, unknownColumns } from './plan.ts';

const PATIENCE = 10; // attempts per change that hits a deadlock or a lock
const PAUSE_MS = 100;
const CHANGE_MS = 60_000; // nothing is served yet, and an index over many rows takes a while

type Target = Pick<Store, 'dialect' | 'db' | 'batch'> & {
  readonly tables: Readonly<Record<string, Table>> & Pick<Tables, 'schema_migrations'>;
};

/** Adds what the live database lacks, each change in its own transaction. */
export async function migrate(store: Target, log: Pick<Log, 'debug' | 'info' | 'warn'>): Promise<void> {
  const expected = describeTables(store.tables);
  const live = await look(store);
  const unknown = unknownColumns(expected, live);
  if (unknown.length > 0)
    log.warn({ columns: unknown }, 'Ignoring unknown columns, probably of a newer version');

  let made = 0;
  let pending = planChanges(expected, live);
  for (let change = pending[0]; change; change = pending[0]) {
    const lost = await settle(store, change, async () => planChanges(expected, await look(store)));
    if (!lost) log.debug({ change: change.id }, 'Database schema changed');
    made += lost ? 0 : 1;
    pending = lost ?? pending.slice(1);
  }
  if (made > 0) log.info({ changes: made }, 'Database schema brought up to date');
}

/** Reads the live tables; a failure becomes one line for the operator. */
export async function look(store: Pick<Store, 'dialect' | 'db'>): Promise<LiveSchema> {
  try {
    return await patiently(() => introspect(store));
  } catch (cause) {
    throw new MigrationFailed('read the database', driverMessage(cause), { cause });
  }
}

/** Undefined if the change was made here; the remaining changes if another instance made it first. */
async function settle(
  store: Target,
  change: Change,
  replan: () => Promise<Change[]>,
): Promise<Change[] | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply(store, change);
    } catch (cause) {
      const pending = await replan();
      if (!pending.some(({ id }) => id === change.id)) return pending;
      if (!isPassing(cause) || attempt === PATIENCE) {
        throw new MigrationFailed(change.id, driverMessage(cause), { cause });
      }
      await sleep(PAUSE_MS);
    }
  }
}

async function apply(store: Target, change: Change): Promise<undefined> {
  const { schema_migrations } = store.tables;
  const applied_at = new Date().toISOString();
  await store.batch(
    (db) => [
      ...change.statements.map((text) => sql.raw(text)),
      db.insert(schema_migrations).values({ change: change.id, applied_at }),
    ],
    CHANGE_MS,
  );
}
