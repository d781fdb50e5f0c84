import { isInBytes } from '../../lib/paths.ts';
import type { Entry } from '../list/entries.ts';

export interface TypedPath {
  /** The directory whose entries are offered. */
  readonly directory: string;
  /** The prefix of the offered names. */
  readonly prefix: string;
}

const MOST_OFFERED = 50;

/** Splits `/var/lo` into the complete directory and the prefix being typed. */
export function divideTyped(typed: string): TypedPath {
  const end = typed.lastIndexOf('/');
  return { directory: typed.slice(0, Math.max(0, end)) || '/', prefix: typed.slice(end + 1) };
}

/** Directories that match the typed prefix. A leading dot includes hidden ones. */
export function completionsOf({ directory, prefix }: TypedPath, entries: readonly Entry[]): string[] {
  const wanted = prefix.toLowerCase();
  return entries
    .filter(({ path }) => isInBytes(path) === isInBytes(directory)) // otherwise it does not continue what was typed
    .filter(({ is_dir, addressable, name }) => is_dir && addressable && isOffered(name, wanted))
    .slice(0, MOST_OFFERED)
    .map(({ path }) => `${path}/`);
}

function isOffered(name: string, wanted: string): boolean {
  return name.toLowerCase().startsWith(wanted) && (wanted.startsWith('.') || !name.startsWith('.'));
}

/** The common prefix of all names. */
export function commonStart(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let length = first.length;
  for (const path of others)
    while (length > 0 && path.slice(0, length).toLowerCase() !== first.slice(0, length).toLowerCase())
      length -= 1;
  return first.slice(0, length);
}
