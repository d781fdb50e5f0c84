import type Database from 'better-sqlite3';
import { getTableName } from 'drizzle-orm';
import type { Tables } from '../schema/schema.ts';
import type { RowVersions } from '../store.ts';

const WRITES = { insert: 'new', update: 'new', delete: 'old' };

/**
 * Triggers count the changes of this connection; they exist only in it. `data_version` counts the commits of all others,
 * so after one of them every row counts as changed.
 */
export function sqliteVersions(client: Database.Database, table: Tables['servers']): RowVersions {
  const name = getTableName(table);
  const changes = new Map<number, number>();
  let changed = 0;
  let is_watched = false;

  /** Called once the table exists. */
  function watch(): void {
    if (is_watched) return;
    const note = `note_${name}`;
    client.function(note, (id: number) => {
      changed += 1;
      changes.set(id, changed);
      return null;
    });
    for (const [write, row] of Object.entries(WRITES)) {
      client.exec(`create temp trigger if not exists ${note}_${write} after ${write} on main.${name}
        begin select ${note}(${row}.id); end`);
    }
    is_watched = true;
  }

  function others(): string {
    watch();
    return String(client.pragma('data_version', { simple: true }));
  }

  return {
    mark: async () => `${others()} ${changed}`,
    async all() {
      const epoch = others();
      const ids = client.prepare<[], number>(`select id from main.${name}`).pluck().all();
      const versions = new Map(ids.map((id) => [id, `${epoch} ${changes.get(id) ?? 0}`]));
      return { mark: `${epoch} ${changed}`, versions };
    },
  };
}
