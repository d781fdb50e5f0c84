import { inArray, sql } from 'drizzle-orm';
import type { SettingRepository } from '#core/ports/repositories/settings.ts';
import type { Store } from '../../store.ts';

export function createSettingRepository({ db, tables: { settings } }: Store): SettingRepository {
  const { key, value } = settings;
  return {
    async all() {
      // Read as text, so that a value that is not valid JSON, after a manual edit, does not break the others.
      const rows = await db.select({ key, text: sql<string>`${value}` }).from(settings);
      return rows.map(({ key, text }) => ({ key, value: parsed(text) }));
    },

    async save(rows, updated_at) {
      if (rows.length === 0) return;
      // Sorted, so that two instances that set the same settings do not deadlock.
      const ordered = [...rows].sort((one, other) => (one.key < other.key ? -1 : 1));
      const news = { value: sql`excluded.value`, updated_at: sql`excluded.updated_at` };
      await db
        .insert(settings)
        .values(ordered.map((row) => ({ ...row, updated_at })))
        .onConflictDoUpdate({ target: key, set: news });
    },

    async remove(keys) {
      const removed = await db
        .delete(settings)
        .where(inArray(key, [...keys]))
        .returning({ key });
      return removed.map((row) => row.key);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
