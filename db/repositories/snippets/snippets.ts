import { eq, or, sql } from 'drizzle-orm';
import { alphabetical } from '#core/lib/text/alphabetical.ts';
import type { SnippetRepository } from '#core/ports/repositories/snippets.ts';
import { isNullViolation } from '../../driver-errors.ts';
import { orFault } from '../../query/or-fault.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';

export function createSnippetRepository(store: Store): SnippetRepository {
  return { ...createReading(store), ...createWriting(store) };
}

type Reading = Pick<SnippetRepository, 'visibleTo' | 'byId'>;
type Writing = Omit<SnippetRepository, keyof Reading>;

function createReading({ db, tables: { snippets } }: Store): Reading {
  return {
    async visibleTo(user_id) {
      const visible = or(eq(snippets.user_id, user_id), eq(snippets.shared, true));
      const rows = await db.select().from(snippets).where(visible);
      return rows.sort((a, b) => alphabetical(a.name, b.name) || a.id - b.id);
    },

    async byId(id) {
      const [row] = await db.select().from(snippets).where(eq(snippets.id, id));
      return row;
    },
  };
}

function createWriting({ db, alone, tables: { snippets } }: Store): Writing {
  return {
    async insert(row, limit) {
      const held = sql`(select count(*) from ${snippets} as own where own.user_id = ${row.user_id})`;
      // At the limit the owner becomes null, which the column rejects.
      const user_id = sql`case when ${held} < ${limit} then cast(${row.user_id} as integer) end`;
      // Locked, because two concurrent inserts would not count each other's row.
      const insertion = alone(`snippets of ${row.user_id}`, (locked) =>
        locked
          .insert(snippets)
          .values({ ...row, user_id })
          .returning(),
      );
      const refused = orFault('too_many_snippets', insertion, isNullViolation);
      return onlyRow(await orFault('invalid_token', refused)); // deleted in the meantime
    },

    async update(id, patch) {
      // Drizzle rejects an empty update, so the id is set to itself.
      const changed = db.update(snippets).set({ id, ...patch });
      const [row] = await changed.where(eq(snippets.id, id)).returning();
      return row;
    },

    async remove(id) {
      const removed = db.delete(snippets).where(eq(snippets.id, id)).returning({ id: snippets.id });
      return (await removed).length > 0;
    },
  };
}
