export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** Each directory from the root down to `path`. */
export function crumbsOf(path: string): Crumb[] {
  const names = path.split('/').filter((name) => name !== '');
  return [
    { name: '/', path: '/' },
    ...names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` })),
  ];
}

export function parentOf(path: string): string {
  const end = path.replace(/\/+$/, '').lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

export function nameOf(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) || '/';
}

export function joinPath(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, '')}/${name}`;
}

/** Whether `path` is `directory` or below it. */
export function isWithin(path: string, directory: string): boolean {
  const root = directory.replace(/\/+$/, '');
  return path === root || path.startsWith(`${root}/`);
}

/** Compares whole segments, as the gateway does: `/srv` does not allow `/srvx`. An empty list allows all. */
export function isAllowed(path: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  return allowed.some((directory) => isWithin(path, directory));
}

/** Normalizes typed input to an absolute path without empty, `.` and `..` segments. */
export function tidyPath(typed: string): string {
  const kept: string[] = [];
  for (const name of typed.trim().split('/')) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}
