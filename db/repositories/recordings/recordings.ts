import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { toUsernameKey } from '#core/model/accounts/user.ts';
import type {
  NewRecordingRow,
  RecordingFilter,
  RecordingRow,
  RecordingStatus,
} from '#core/model/recording.ts';
import type { RecordingRepository } from '#core/ports/repositories/recordings.ts';
import { containing } from '../../query/containing.ts';
import { orFault } from '../../query/or-fault.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';
import { isKnown } from '../instances/known.ts';

export function createRecordingRepository(store: Store): RecordingRepository {
  return { ...createReading(store), ...createWriting(store) };
}

type Reading = Pick<
  RecordingRepository,
  'byId' | 'page' | 'count' | 'oldest' | 'totalBytes' | 'orphans' | 'toRemove' | 'toStore'
>;
type Writing = Omit<RecordingRepository, keyof Reading>;
type Filter = RecordingFilter & { readonly user_id: number | undefined };

function createReading(store: Store): Reading {
  const { db, tables } = store;
  const { recordings } = tables;
  const columns = recordingColumns(recordings);
  const is_owned = isKnown(store, recordings.run_id);

  return {
    async byId(id) {
      const [row] = await db
        .select(columns)
        .from(recordings)
        .where(and(eq(recordings.id, id), isNull(recordings.removed_at)));
      return row;
    },

    page(filter, { limit, offset, before }) {
      const order = [desc(recordings.started_at), desc(recordings.id)];
      const ids = db
        .select({ id: recordings.id })
        .from(recordings)
        .where(and(matching(store, filter), before && comesAfter(store, before)));
      const page = ids
        .orderBy(...order)
        .limit(limit)
        .offset(offset);
      // Rows before the page are skipped in the index without being read.
      return db
        .select(columns)
        .from(recordings)
        .where(inArray(recordings.id, page))
        .orderBy(...order);
    },

    async count(filter) {
      const total = sql`count(*)`.mapWith(Number);
      return onlyRow(await db.select({ total }).from(recordings).where(matching(store, filter))).total;
    },

    oldest(limit, ended_before) {
      const { status, started_at, ended_at, removed_at, id } = recordings;
      const has_ended = and(isNull(removed_at), ne(status, 'recording'));
      // The start, which is indexed, is never after the end.
      const is_old = ended_before && and(lt(started_at, ended_before), lt(ended_at, ended_before));
      const one = is_old ? and(has_ended, is_old) : has_ended;
      return db.select(columns).from(recordings).where(one).orderBy(started_at, id).limit(limit);
    },

    async totalBytes() {
      const total = sql`coalesce(sum(${recordings.size_bytes}), 0)`.mapWith(Number);
      return onlyRow(await db.select({ total }).from(recordings).where(isNull(recordings.removed_at))).total;
    },

    orphans(limit, directory_id) {
      const { status, directory_id: directory, id } = recordings;
      const is_unknown = isNull(directory);
      const is_ours = directory_id === null ? is_unknown : or(is_unknown, eq(directory, directory_id));
      const is_orphan = and(eq(status, 'recording'), not(is_owned), is_ours);
      return db.select(columns).from(recordings).where(is_orphan).orderBy(id).limit(limit);
    },

    toStore(limit, { directory_id, run_id, after_id }) {
      const { status, directory_id: directory, removed_at, id } = recordings;
      const has_ended = or(eq(recordings.run_id, run_id), not(is_owned));
      const is_due = and(isNull(removed_at), eq(directory, directory_id), ne(status, 'recording'), has_ended);
      const one = and(is_due, gt(id, after_id));
      return db.select(columns).from(recordings).where(one).orderBy(id).limit(limit);
    },

    toRemove(limit, directory_id) {
      const { status, directory_id: directory, removed_at, id } = recordings;
      const is_due = and(isNotNull(removed_at), eq(directory, directory_id), ne(status, 'recording'));
      return db.select(columns).from(recordings).where(is_due).orderBy(id).limit(limit);
    },
  };
}

function createWriting(store: Store): Writing {
  const { db, tables } = store;
  const { recordings } = tables;
  const is_owned = isKnown(store, recordings.run_id);
  return {
    async insert(row) {
      const inserted = db
        .insert(recordings)
        .values({ ...row, username_key: toUsernameKey(row.username), search_key: toSearchKey(row) })
        .returning(recordingColumns(recordings));
      return onlyRow(await orFault('server_not_found', inserted)); // the only foreign key
    },

    async adopt(id, run_id) {
      const is_open = and(
        eq(recordings.id, id),
        isNull(recordings.removed_at),
        inArray(recordings.status, ['recording', 'interrupted']),
      );
      const end = { ended_at: null, duration_s: null, size_bytes: null, sha256: null };
      const [row] = await db
        .update(recordings)
        .set({ run_id, status: 'recording', ...end })
        .where(is_open)
        .returning(recordingColumns(recordings));
      return row;
    },

    async close(id, end) {
      // The instance that wrote the recording finishes it; another one only presumed it dead.
      const closes: RecordingStatus[] =
        end.status === 'finished' ? ['recording', 'interrupted'] : ['recording'];
      const isOpen = and(eq(recordings.id, id), inArray(recordings.status, closes));
      const closed = db.update(recordings).set(end).where(isOpen).returning({ id: recordings.id });
      return (await closed).length > 0;
    },

    async moveTo(id, directory_id) {
      const moved = db.update(recordings).set({ directory_id }).where(eq(recordings.id, id));
      return (await moved.returning({ id: recordings.id })).length > 0;
    },

    async removeLater(id, removed_at) {
      const is_over = or(ne(recordings.status, 'recording'), not(is_owned));
      const one = and(eq(recordings.id, id), isNull(recordings.removed_at), is_over);
      const hidden = db.update(recordings).set({ removed_at }).where(one).returning({ id: recordings.id });
      return (await hidden).length > 0;
    },

    async remove(id) {
      const removed = db.delete(recordings).where(eq(recordings.id, id)).returning({ id: recordings.id });
      return (await removed).length > 0;
    },
  };
}

/** Lower-cased in JavaScript, because the databases disagree on lower case outside ASCII. */
function toSearchKey({ server_name, username }: NewRecordingRow): string {
  return `${server_name}\n${username}`.toLowerCase();
}

function matching(store: Store, { user_id, server_id, username, search, from, to }: Filter) {
  const { recordings } = store.tables;
  const conditions: (SQL | undefined)[] = [
    isNull(recordings.removed_at),
    user_id === undefined ? undefined : eq(recordings.user_id, user_id),
    server_id === undefined ? undefined : eq(recordings.server_id, server_id),
    username === undefined ? undefined : eq(recordings.username_key, toUsernameKey(username)),
    from === undefined ? undefined : gte(recordings.started_at, from),
    to === undefined ? undefined : lt(recordings.started_at, to),
    sought(store, search),
  ];
  return and(...conditions);
}

/** Behind this recording in a list, newest first. */
function comesAfter(
  { tables: { recordings } }: Store,
  { id, started_at }: Pick<RecordingRow, 'id' | 'started_at'>,
): SQL | undefined {
  const is_older = lt(recordings.started_at, started_at);
  return or(is_older, and(eq(recordings.started_at, started_at), lt(recordings.id, id)));
}

function sought({ dialect, tables: { recordings } }: Store, search = ''): SQL | undefined {
  return search === '' ? undefined : containing(dialect, recordings.search_key, search.toLowerCase());
}

/** The columns of `RecordingRow`. */
function recordingColumns(recordings: Tables['recordings']) {
  const { username_key, search_key, removed_at, ...columns } = getTableColumns(recordings);
  return columns;
}
