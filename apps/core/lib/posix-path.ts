import { Fault } from '../errors.ts';

/** Absolute POSIX path with `.` and `..` resolved, no trailing slash; refuses relative paths, NUL and invalid Unicode. */
export function normalizePath(path: string): string {
  if (!path.startsWith('/') || path.includes('\0') || !path.isWellFormed()) throw new Fault('invalid_path');
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') kept.pop();
    else kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** Whether `inner` is `outer` or below it: `/srv` does not contain `/srvx`. */
export function isInside(inner: string, outer: string): boolean {
  return outer === '/' || inner === outer || inner.startsWith(`${outer}/`);
}

export function joinPath(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
