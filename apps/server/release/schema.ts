import { postgresKit } from '#db/kit/postgres.ts';
import { sqliteKit } from '#db/kit/sqlite.ts';
import { describeTables } from '#db/migrate/describe.ts';
import { defineSchema } from '#db/schema/schema.ts';
import type { Dialect } from '#db/store.ts';

type Spelling = Record<Dialect, string>;
/** Table → column → its type in each dialect. */
type Tables = Record<string, Record<string, Spelling>>;
/** Version → the columns that it added: `db/schema/released.json`. */
export type Releases = Readonly<Record<string, Tables>>;

const KITS = { sqlite: sqliteKit, postgres: postgresKit };

function spellings(dialect: Dialect): Map<string, string> {
  const tables = describeTables(defineSchema(KITS[dialect]));
  return new Map(
    tables.flatMap(({ name, columns }) =>
      columns.map((column) => [
        `${name}.${column.name}`,
        `${column.type}${column.not_null ? ' not null' : ''}`,
      ]),
    ),
  );
}

/** The columns of the schema that no release has. */
export function addedColumns(releases: Releases): Tables {
  const postgres = spellings('postgres');
  const added: Tables = {};
  for (const [key, sqlite] of spellings('sqlite')) {
    const [table = '', column = ''] = key.split('.');
    if (Object.values(releases).some((release) => release[table]?.[column])) continue;
    added[table] = { ...added[table], [column]: { sqlite, postgres: postgres.get(key) ?? '' } };
  }
  return added;
}

/** The text of the file: one line for each column. */
export function formatReleases(releases: Releases): string {
  const text = JSON.stringify(releases, null, 2);
  const inline = text.replace(
    /\{\n\s+"sqlite": ("[^"]*"),\n\s+"postgres": ("[^"]*")\n\s+\}/g,
    '{ "sqlite": $1, "postgres": $2 }',
  );
  return `${inline}\n`;
}
