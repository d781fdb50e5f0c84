import type { ArchiveEntry } from '#client/transfers/archive.ts';
import { compareNaturally } from '../../lib/match/natural.ts';
import { nameOf } from '../../lib/paths.ts';

export interface ArchiveRow {
  /** For people. */
  readonly name: string;
  /** The path in the archive, which is the key of a directory. */
  readonly path: string;
  readonly is_dir: boolean;
  /** Undefined for a directory that only the names of its content imply. */
  readonly entry: ArchiveEntry | undefined;
}

// What the gateway extracts at most: the names of an archive can imply millions of directories.
const MAX_DEPTH = 100;
const MAX_DIRECTORIES = 100_000;

/** The rows of each directory; that of the top level is the empty path. */
export type ArchiveTree = ReadonlyMap<string, readonly ArchiveRow[]>;

/** Directories come first. Most archives list files only, and imply their directories. */
export function treeOf(entries: readonly ArchiveEntry[]): ArchiveTree {
  const rows = new Map<string, ArchiveRow[]>([['', []]]);
  const known = new Set<string>();

  function add(path: string, row: Pick<ArchiveRow, 'is_dir' | 'entry'>): void {
    const is_too_deep = known.size > MAX_DIRECTORIES || path.split('/', MAX_DEPTH + 1).length > MAX_DEPTH;
    const parent = is_too_deep ? '' : directoryOf(path);
    if (parent !== '' && !known.has(parent)) add(parent, { is_dir: true, entry: undefined });
    if (row.is_dir) {
      if (known.has(path)) return;
      known.add(path);
      rows.set(path, rows.get(path) ?? []);
    }
    rows.get(parent)?.push({ name: nameOf(path), path, ...row });
  }
  for (const entry of entries) add(entry.name, { is_dir: entry.is_dir, entry });
  for (const list of rows.values()) list.sort(compareRows);
  return rows;
}

function compareRows(a: ArchiveRow, b: ArchiveRow): number {
  return Number(b.is_dir) - Number(a.is_dir) || compareNaturally(a.name, b.name);
}

export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Each directory from the first down to `path`. */
export function crumbsTo(path: string): { readonly name: string; readonly path: string }[] {
  if (path === '') return [];
  return [...crumbsTo(directoryOf(path)), { name: nameOf(path), path }];
}
