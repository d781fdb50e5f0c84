import { and, count, eq, getTableColumns, gt, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { UploadRepository } from '#core/ports/repositories/files.ts';
import { orFault } from '../../query/or-fault.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

export function createUploadRepository(store: Store): UploadRepository {
  return {
    ...createReading(store),
    ...createWriting(store),
    ...createFinishing(store),
    ...createCleaning(store),
  };
}

type Reading = Pick<UploadRepository, 'find' | 'listOf' | 'countOf' | 'countAt'>;
type Finishing = Pick<UploadRepository, 'remove' | 'finish' | 'finished' | 'removeFinished'>;
type Cleaning = Pick<UploadRepository, 'takeExpired'>;
type Writing = Omit<UploadRepository, keyof Reading | keyof Finishing | keyof Cleaning>;

function createReading({ db, tables: { uploads } }: Store): Reading {
  const columns = uploadColumns(uploads);
  const resumable = (user_id: number, now: string) =>
    and(
      eq(uploads.user_id, user_id),
      isNotNull(uploads.length),
      eq(uploads.abandoned, false),
      gt(uploads.expires_at, now),
    );

  return {
    async find(id) {
      const [row] = await db.select(columns).from(uploads).where(standing(uploads, id));
      return row;
    },

    listOf: (user_id, server_id, now) =>
      db
        .select(columns)
        .from(uploads)
        .where(and(resumable(user_id, now), eq(uploads.server_id, server_id)))
        .orderBy(uploads.created_at, uploads.id),

    async countOf(user_id, now) {
      const rows = await db.select({ uploads: count() }).from(uploads).where(resumable(user_id, now));
      return onlyRow(rows).uploads;
    },

    async countAt(server_id) {
      const at_server = eq(uploads.server_id, server_id);
      const rows = await db.select({ uploads: count() }).from(uploads).where(at_server);
      return onlyRow(rows).uploads;
    },
  };
}

function createWriting({ db, tables: { uploads } }: Store): Writing {
  return {
    async insert(row) {
      await orFault('server_not_found', db.insert(uploads).values({ ...row, abandoned: false })); // the only foreign key
    },

    async extend(id, expires_at) {
      const extended = db.update(uploads).set({ expires_at }).where(standing(uploads, id));
      return (await extended.returning({ id: uploads.id })).length > 0;
    },
  };
}

function createFinishing({ db, together, tables: { uploads, finished_uploads } }: Store): Finishing {
  const { kept_until, ...columns } = getTableColumns(finished_uploads);

  return {
    remove: async (id) =>
      void (await together((on) => [
        on.delete(uploads).where(eq(uploads.id, id)),
        on.delete(finished_uploads).where(eq(finished_uploads.id, id)),
      ])),

    async finish(id, until) {
      const kept = {
        ...uploadColumns(uploads),
        kept_until: sql`${sql.param(until, kept_until)}`.as('kept_until'),
      };
      await together((on) => [
        on.insert(finished_uploads).select(on.select(kept).from(uploads).where(eq(uploads.id, id))),
        on.delete(uploads).where(eq(uploads.id, id)),
      ]);
    },

    async finished(id, now) {
      const standing = and(eq(finished_uploads.id, id), gt(kept_until, now));
      const [row] = await db.select(columns).from(finished_uploads).where(standing);
      return row;
    },

    async removeFinished(now) {
      await db.delete(finished_uploads).where(lte(kept_until, now));
    },
  };
}

function createCleaning({ db, alone, tables: { uploads } }: Store): Cleaning {
  return {
    takeExpired({ now, again_at, limit, server_id }) {
      const expired = lte(uploads.expires_at, now);
      const there = server_id === undefined ? undefined : eq(uploads.server_id, server_id);
      const some = db
        .select({ id: uploads.id })
        .from(uploads)
        .where(and(expired, there))
        .orderBy(uploads.expires_at)
        .limit(limit);
      // Sorted or locked first, so that two instances do not deadlock on the same rows.
      return alone('expired uploads', (locked) =>
        locked
          .update(uploads)
          .set({ abandoned: true, expires_at: again_at })
          .where(and(inArray(uploads.id, some), expired))
          .returning(uploadColumns(uploads)),
      );
    },
  };
}

function standing(uploads: Tables['uploads'], id: string) {
  return and(eq(uploads.id, id), eq(uploads.abandoned, false));
}

/** The columns of `UploadRow`. */
function uploadColumns(uploads: Tables['uploads']) {
  const { abandoned, ...columns } = getTableColumns(uploads);
  return columns;
}
