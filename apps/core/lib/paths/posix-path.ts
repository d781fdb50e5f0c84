import { Fault } from '../../errors.ts';
import { escaped, isInBytes, namesOf, pathOf, unescaped } from './path-bytes.ts';

/** Absolute POSIX path with `.` and `..` resolved, no trailing slash; refuses relative paths, NUL and invalid Unicode. */
export function normalizePath(path: string): string {
  if (!path.isWellFormed()) throw new Fault('invalid_path');
  const names = namesOf(path);
  if (!names.startsWith('/') || names.includes('\0')) throw new Fault('invalid_path');
  const kept: string[] = [];
  for (const segment of names.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') kept.pop();
    else kept.push(segment);
  }
  return pathOf(`/${kept.join('/')}`);
}

export function isAbsolutePath(path: string): boolean {
  try {
    return normalizePath(path) !== '';
  } catch {
    return false;
  }
}

/** Whether `inner` is `outer` or below it: `/srv` does not contain `/srvx`. */
export function isInside(inner: string, outer: string): boolean {
  return outer === '/' || inner === outer || namesOf(inner).startsWith(`${namesOf(outer)}/`);
}

/** The names from `directory` down to `path`, which is inside it. */
export function namesBelow(path: string, directory: string): string {
  return namesOf(path).slice(directory === '/' ? 1 : namesOf(directory).length + 1);
}

/** `name` may be several names joined with slashes. */
export function joinPath(directory: string, name: string): string {
  if (isInBytes(directory)) return `${directory}/${name.split('/').map(escaped).join('/')}`;
  return pathOf(directory === '/' ? `/${name}` : `${directory}/${name}`);
}

export function parentOf(path: string): string {
  const names = namesOf(path);
  return pathOf(names.slice(0, names.lastIndexOf('/')) || '/');
}

export function nameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isInBytes(path) ? unescaped(name) : name;
}
