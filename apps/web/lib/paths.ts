export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The way from the root to a directory. */
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

/** The path itself, or anything below it. */
export function isWithin(path: string, directory: string): boolean {
  const root = directory.replace(/\/+$/, '');
  return path === root || path.startsWith(`${root}/`);
}

/** By segments, as the gateway judges: `/srv` does not allow `/srvx`. No directory named means all. */
export function isAllowed(path: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  return allowed.some((directory) => isWithin(path, directory));
}

/** Typed by hand: absolute, without empty, `.` and `..` segments. */
export function tidyPath(typed: string): string {
  const kept: string[] = [];
  for (const name of typed.trim().split('/')) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}
