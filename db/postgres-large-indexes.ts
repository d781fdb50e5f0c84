import type postgres from 'postgres';
import { every, systemAfter } from '#core/lib/time/timers.ts';
import type { Log } from '#core/ports/runtime.ts';
import { driverMessage } from './driver-errors.ts';

const MANY_ROWS = 50_000; // below, a list is fast without them
const PROGRESS_MS = 30_000;
const INTERVAL_MS = 3_600_000;

interface LargeIndex {
  readonly name: string;
  readonly table: string;
  readonly on: string;
  readonly needs_trigrams?: boolean;
}

/** Only worth their space in large tables. Searches use the last two. */
const LARGE_INDEXES: readonly LargeIndex[] = [
  { name: 'recordings_listing', table: 'recordings', on: '(started_at, id, removed_at)' },
  { name: 'audit_entries_listing', table: 'audit_entries', on: '(created_at, id)' },
  { name: 'audit_entries_via', table: 'audit_entries', on: '(via, created_at, id) where via is not null' },
  {
    name: 'audit_entries_search',
    table: 'audit_entries',
    on: 'using gin (search_key gin_trgm_ops) with (fastupdate = off)',
    needs_trigrams: true,
  },
  {
    name: 'recordings_search',
    table: 'recordings',
    on: 'using gin (search_key gin_trgm_ops)',
    needs_trigrams: true,
  },
];

type Logging = Pick<Log, 'info' | 'warn'>;

/** Now and every hour, until the returned function is called. */
export function keepLargeIndexes(connect: () => postgres.Sql, log: Logging): () => void {
  let client: postgres.Sql | undefined;
  let is_over = false;
  async function run(): Promise<void> {
    if (client) return; // an index may take longer than the interval
    client = connect();
    try {
      await addLargeIndexes(client, log);
    } catch (error) {
      if (!is_over)
        log.warn({ reason: driverMessage(error) }, 'An index for a large table could not be added');
    } finally {
      await client.end({ timeout: 0 });
      client = undefined;
    }
  }
  const cancel = every(systemAfter, INTERVAL_MS, () => void run());
  void run();
  return () => {
    is_over = true;
    cancel();
    void client?.end({ timeout: 0 });
  };
}

/**
 * Adds the indexes that large tables lack, one at a time, while everything goes on: other instances and versions read and
 * write meanwhile. One instance at a time does so; an index that was left unfinished is made again.
 */
export async function addLargeIndexes(client: postgres.Sql, log: Logging): Promise<void> {
  const [lock] = await client`select pg_try_advisory_lock(hashtext('sallyport large indexes')) as is_held`;
  if (!lock?.['is_held']) return;
  try {
    const due: LargeIndex[] = [];
    for (const index of LARGE_INDEXES) if (await isDue(client, index)) due.push(index);
    for (const index of due) await add(client, index, log);
  } finally {
    await client`select pg_advisory_unlock(hashtext('sallyport large indexes'))`;
  }
}

/** Removes an unfinished index. */
async function isDue(client: postgres.Sql, { name, table }: LargeIndex): Promise<boolean> {
  const [live] = await client`
    select c.reltuples >= ${MANY_ROWS} as is_large, x.indisvalid as is_valid
    from pg_class c left join (pg_index x join pg_class i on i.oid = x.indexrelid and i.relname = ${name})
      on x.indrelid = c.oid
    where c.oid = to_regclass(${table})`;
  if (!live?.['is_large'] || live['is_valid'] === true) return false;
  if (live['is_valid'] === false) await client.unsafe(`drop index concurrently if exists ${name}`);
  return true;
}

async function add(client: postgres.Sql, { name, table, on, needs_trigrams }: LargeIndex, log: Logging) {
  if (needs_trigrams && !(await hasTrigrams(client, log))) return;
  log.info({ index: name, table }, 'Adding an index to a large table; the gateway goes on meanwhile');
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1000);
  const progress = setInterval(
    () => log.info({ index: name, seconds: seconds() }, 'Still adding the index'),
    PROGRESS_MS,
  );
  try {
    await client.unsafe(`create index concurrently if not exists ${name} on ${table} ${on}`);
    await client.unsafe(`analyze ${table}`);
    log.info({ index: name, seconds: seconds() }, 'The index was added');
  } finally {
    clearInterval(progress);
  }
}

async function hasTrigrams(client: postgres.Sql, log: Logging): Promise<boolean> {
  try {
    await client.unsafe('create extension if not exists pg_trgm');
    return true;
  } catch (error) {
    log.warn({ reason: driverMessage(error) }, NO_TRIGRAMS);
    return false;
  }
}

const NO_TRIGRAMS =
  'Searches in the audit log and in recordings read all rows, because PostgreSQL has no extension pg_trgm here. To make them fast, run: create extension pg_trgm';
