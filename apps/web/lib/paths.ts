export interface Crumb {
  readonly name: string;
  readonly path: string;
}

// The gateway spells a path with a name that is not UTF-8 as `bytes:` and the path percent-encoded.
const BYTES = 'bytes:';

export function isInBytes(path: string): boolean {
  return path.startsWith(BYTES);
}

/** Whether the name itself is not UTF-8. */
export function isByteName(path: string): boolean {
  return isInBytes(path) && textOf(lastOf(path)) === undefined;
}

/** The bytes of a name that is not UTF-8, percent-encoded: two such names may look the same as text. */
export function spelledName(path: string): string {
  return lastOf(path);
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith(`${BYTES}/`);
}

function inBytes(path: string): string {
  return isInBytes(path) ? path : BYTES + path.split('/').map(escaped).join('/');
}

/** Spells a path like the gateway: in bytes only where text is not enough. */
function spelled(path: string): string {
  return textOf(path.slice(BYTES.length)) ?? path;
}

/** Undefined when it is not UTF-8. */
function textOf(bytes: string): string | undefined {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return undefined;
  }
}

function escaped(name: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replace(/[!'()*]/g, hex);
}

/** Shows replacement characters for what is not UTF-8. */
function readable(name: string): string {
  const bytes = name.replace(/%([\dA-F]{2})/gi, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return textOf(name) ?? new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

function untailed(path: string): string {
  return path.replace(/\/+$/, '');
}

function lastOf(path: string): string {
  return untailed(path).split('/').at(-1) ?? '';
}

/** Each directory from the root down to `path`. */
export function crumbsOf(path: string): Crumb[] {
  const names = inBytes(path)
    .slice(BYTES.length)
    .split('/')
    .filter((name) => name !== '');
  const crumbs = names.map((name, index) => ({
    name: readable(name),
    path: spelled(`${BYTES}/${names.slice(0, index + 1).join('/')}`),
  }));
  return [{ name: '/', path: '/' }, ...crumbs];
}

export function parentOf(path: string): string {
  if (isInBytes(path)) return spelled(BYTES + parentOf(path.slice(BYTES.length)));
  const end = untailed(path).lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

/** For people; `movedTo` keeps the bytes of a name. */
export function nameOf(path: string): string {
  return (isInBytes(path) ? readable(lastOf(path.slice(BYTES.length))) : lastOf(path)) || '/';
}

/** `name` may also be a relative path. */
export function joinPath(directory: string, name: string): string {
  const below = isInBytes(directory) ? name.split('/').map(escaped).join('/') : name;
  return `${untailed(directory)}/${below}`;
}

/** The path with the same name in another directory. */
export function movedTo(directory: string, path: string): string {
  if (!isInBytes(path)) return joinPath(directory, nameOf(path));
  return spelled(`${untailed(inBytes(directory))}/${lastOf(path)}`);
}

/** The path of what was at `path`, which is `from` or below it, after `from` was moved to `to`. */
export function afterMove(path: string, from: string, to: string): string {
  const below = inBytes(path).slice(untailed(inBytes(from)).length);
  return spelled(untailed(inBytes(to)) + below);
}

/** Whether `path` is `directory` or below it. */
export function isWithin(path: string, directory: string): boolean {
  if (isInBytes(path) !== isInBytes(directory)) return isWithin(inBytes(path), inBytes(directory));
  const root = untailed(directory);
  return path === root || path.startsWith(`${root}/`);
}

/** Compares whole segments, as the gateway does: `/srv` does not allow `/srvx`. An empty list allows all. */
export function isAllowed(path: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  return allowed.some((directory) => isWithin(path, directory));
}

/** Normalizes typed input to an absolute path without empty, `.` and `..` segments. */
export function tidyPath(typed: string): string {
  const path = typed.trim();
  if (isInBytes(path)) return spelled(BYTES + tidyPath(path.slice(BYTES.length)));
  const kept: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}
