import { and, asc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { KeptConnection, PartRemovalRepository } from '#core/ports/repositories/hosts.ts';
import type { Store } from '../../store.ts';

export function createPartRemovalRepository({ db, alone, tables }: Store): PartRemovalRepository {
  const { part_removals: removals, left_parts: parts } = tables;
  const of = (server_id: number) => eq(removals.server_id, server_id);

  return {
    async byServer(server_id) {
      const [row] = await db.select().from(removals).where(of(server_id));
      return row;
    },

    takeDue({ now, again_at, limit }) {
      const due = lte(removals.next_at, now);
      const id = removals.server_id;
      const some = db.select({ id }).from(removals).where(due).orderBy(asc(removals.next_at)).limit(limit);
      return alone('part removals', (locked) =>
        locked
          .update(removals)
          .set({ next_at: again_at })
          .where(and(inArray(id, some), due))
          .returning(),
      );
    },

    async postpone(server_id, { failures, next_at }) {
      const postponed = db.update(removals).set({ failures, next_at }).where(of(server_id));
      return (await postponed.returning({ id: removals.server_id })).length > 0;
    },

    parts: (server_id) =>
      db
        .select({ id: parts.id, part_path: parts.part_path })
        .from(parts)
        .where(eq(parts.server_id, server_id))
        .orderBy(asc(parts.id)),

    async removePart(id) {
      await db.delete(parts).where(eq(parts.id, id));
    },

    async end(server_id) {
      const ended = await db.delete(removals).where(of(server_id)).returning({ id: removals.server_id });
      return ended.length > 0;
    },
  };
}

/** Run in the transaction that deletes the server: its uploads disappear with it. */
export function keepingParts(
  { dialect, tables }: Store,
  server_id: number,
  { connection_sealed, created_at, next_at }: KeptConnection,
): SQL[] {
  const { servers, uploads, part_removals: removals, left_parts: parts } = tables;
  const ofServer = sql`${uploads.server_id} = ${server_id}`;
  const instant = sql.raw(removals.next_at.getSQLType());
  const [at, then] = [created_at, next_at].map((text) => sql`cast(${text} as ${instant})`);
  return [
    // An upload that begins at this moment waits, and then finds no server.
    ...(dialect === 'postgres'
      ? [sql`select 1 from ${servers} where ${servers.id} = ${server_id} for update`]
      : []),
    sql`insert into ${removals} (server_id, server_name, connection_sealed, failures, created_at, next_at)
      select ${servers.id}, ${servers.name}, ${connection_sealed}, 0, ${at}, ${then} from ${servers}
      where ${servers.id} = ${server_id} and exists (select 1 from ${uploads} where ${ofServer})`,
    sql`insert into ${parts} (id, server_id, part_path)
      select ${uploads.id}, ${uploads.server_id}, ${uploads.part_path} from ${uploads} where ${ofServer}`,
  ];
}
