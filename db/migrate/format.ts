import { setTimeout as sleep } from 'node:timers/promises';
import { gt, sql } from 'drizzle-orm';
import type { Log } from '#core/ports/runtime.ts';
import { DatabaseUnusable } from '../database-unusable.ts';
import { CLOCKS } from '../query/clocks.ts';
import type { Store } from '../store.ts';
import type { LiveSchema } from './introspect.ts';

/**
 * Raise it only when versions before this one would misread or damage what this one stores, which ends rolling upgrades
 * and downgrades. New tables and columns do not: older versions leave them alone.
 */
export const FORMAT = 1; // secrets are bound to their rows

const FORMAT_ID = 1;
const PATIENCE_MS = 40_000; // the row of an instance that was killed expires after 30 s
const PAUSE_MS = 250;

/** Refuses a database that a newer version has changed so that this one would misread it. */
export async function assertKnownFormat(
  { db, tables }: Pick<Store, 'db' | 'tables'>,
  live: LiveSchema,
): Promise<void> {
  if (!live.has('database_format')) return;
  const found = await formatOf({ db, tables });
  if (found && found.format > FORMAT) throw new DatabaseUnusable(tooNew(found.version));
}

/** Resolves when no instance uses the database any more, and refuses if one goes on. */
export async function untilUnused(
  store: Pick<Store, 'dialect' | 'db' | 'tables'>,
  log: Pick<Log, 'warn'>,
  patience_ms = PATIENCE_MS,
): Promise<void> {
  const until_ms = performance.now() + patience_ms;
  for (let is_first = true; ; is_first = false) {
    const instances = await runningInstances(store);
    if (instances.length === 0) return;
    if (performance.now() >= until_ms) throw new DatabaseUnusable(stillUsed(instances));
    if (is_first) log.warn({ instances }, 'Waiting until the instances of the older version have stopped');
    await sleep(PAUSE_MS);
  }
}

/** Writes nothing when the database has this format already. */
export async function recordFormat(
  { db, tables }: Pick<Store, 'db' | 'tables'>,
  version: string,
): Promise<void> {
  const found = await formatOf({ db, tables });
  if (found && found.format >= FORMAT) return;
  const { database_format: target } = tables;
  const set = { format: FORMAT, version };
  await db
    .insert(target)
    .values({ id: FORMAT_ID, ...set })
    .onConflictDoUpdate({ target: target.id, set });
}

async function formatOf({ db, tables }: Pick<Store, 'db' | 'tables'>) {
  return (await db.select().from(tables.database_format))[0];
}

/** Reads only columns that every version has. */
async function runningInstances({
  dialect,
  db,
  tables: { instances },
}: Pick<Store, 'dialect' | 'db' | 'tables'>): Promise<string[]> {
  const running = gt(instances.expires_at, sql`${CLOCKS[dialect].now}`);
  const rows = await db.select({ instance_id: instances.instance_id }).from(instances).where(running);
  return rows.map(({ instance_id }) => instance_id);
}

const tooNew = (version: string) =>
  `Sallyport ${version} has changed this database in a way that this version does not understand: start that version or a later one, or restore the copy from before its first start`;

const stillUsed = (instances: readonly string[]) =>
  `Stop all instances of the older version first (running: ${instances.join(', ')}): this version changes the database in a way that they do not understand`;
