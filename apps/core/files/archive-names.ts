import { Fault } from '../errors.ts';
import { isInside, nameOf, namesBelow, normalizePath } from '../lib/paths/posix-path.ts';

/**
 * Names inside an archive: the content of a single directory is at the top; several paths keep their names, or their
 * paths below `base_path`. Later duplicates are numbered.
 */
export function archiveRoots(paths: readonly string[], base_path: string | undefined): string[] {
  const normal = paths.map(normalizePath);
  if (base_path === undefined && normal.length === 1) return [''];
  const base = base_path === undefined ? undefined : normalizePath(base_path);
  const taken = new Set<string>();
  return normal.map((path) => {
    const name = unused(base === undefined ? nameOf(path) || 'root' : below(path, base), taken);
    taken.add(name);
    return name;
  });
}

function below(path: string, base: string): string {
  if (path === base) return '';
  if (!isInside(path, base))
    throw new Fault('invalid_path', 'A path of the archive lies outside its `base_path`');
  return namesBelow(path, base);
}

function unused(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let nth = 2; ; nth += 1) if (!taken.has(`${name} (${nth})`)) return `${name} (${nth})`;
}
