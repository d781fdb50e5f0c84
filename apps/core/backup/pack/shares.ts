import type { BackupRows } from '../../ports/repositories/backup.ts';

const MOST_SNIPPET_CHARACTERS = 256 * 1024;
const MOST_QUICK_KEYS = 1000;

/** The rows to export, and how many were left out. */
export interface Shares {
  readonly rows: BackupRows;
  readonly left_out: number;
  readonly warnings: readonly string[];
}

/** Limits each user's rows, oldest first, so that one user cannot make the whole backup too large. */
export function withinShares(rows: BackupRows): Shares {
  const names = new Map(rows.users.map(({ id, username }) => [id, username]));
  const snippets = share(rows.snippets, MOST_SNIPPET_CHARACTERS, lengthOf);
  const quick_keys = share(rows.quick_keys, MOST_QUICK_KEYS, () => 1);
  const told = (what: string, over: ReadonlyMap<number, number>) =>
    [...over].map(
      ([user_id, count]) =>
        `${count} ${what} of ${names.get(user_id) ?? '?'} are not in the bundle: more than one user’s share`,
    );
  return {
    rows: { ...rows, snippets: snippets.kept, quick_keys: quick_keys.kept },
    left_out: sum(snippets.over) + sum(quick_keys.over),
    warnings: [...told('snippets', snippets.over), ...told('pinned host keys', quick_keys.over)],
  };
}

function lengthOf({ name, command, description }: BackupRows['snippets'][number]): number {
  return name.length + command.length + description.length;
}

interface Owned {
  readonly id: number;
  readonly user_id: number;
}

function share<Row extends Owned>(rows: readonly Row[], most: number, weightOf: (row: Row) => number) {
  const used = new Map<number, number>();
  const over = new Map<number, number>();
  const kept = rows
    .toSorted((a, b) => a.id - b.id)
    .filter((row) => {
      const weight = (used.get(row.user_id) ?? 0) + weightOf(row);
      used.set(row.user_id, weight);
      if (weight > most) over.set(row.user_id, (over.get(row.user_id) ?? 0) + 1);
      return weight <= most;
    });
  return { kept, over };
}

function sum(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
