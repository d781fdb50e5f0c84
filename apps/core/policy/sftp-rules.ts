import { Fault } from '../errors.ts';
import { namesOf } from '../lib/paths/path-bytes.ts';
import { isInside, normalizePath, parentOf } from '../lib/paths/posix-path.ts';
import { LONGEST_FOLDED, normalized } from '../lib/text/fold.ts';
import type { Server } from '../model/hosts/server.ts';

/**
 * How a path is resolved and checked.
 * `follow`: follows links; the target must exist, and its real path is checked.
 * `place`: like `follow`, but the last component may be missing because it is created.
 * `new`: like `place`, and parents may be missing too.
 * `entry`: acts on a link itself, so only the parent is resolved.
 * `member`: like `entry`, and the parent must be allowed too, because the operation changes it.
 */
export type PathRule = 'follow' | 'place' | 'new' | 'entry' | 'member';

interface OperationRule {
  readonly writes: boolean;
  readonly paths: Readonly<Record<string, PathRule>>;
}

/** The path arguments of each operation, and whether it writes. */
export const OPERATIONS = {
  home: { writes: false, paths: {} },
  ls: { writes: false, paths: { path: 'follow' } },
  stat: { writes: false, paths: { path: 'entry' } },
  read: { writes: false, paths: { path: 'follow' } },
  download: { writes: false, paths: { path: 'follow' } },
  zip: { writes: false, paths: { path: 'follow' } },
  search: { writes: false, paths: { path: 'follow' } },
  excerpt: { writes: false, paths: { path: 'follow' } },
  sizes: { writes: false, paths: { path: 'follow' } },
  recent: { writes: false, paths: { path: 'follow' } },
  space: { writes: false, paths: { path: 'follow' } },
  copy_from: { writes: false, paths: { source_path: 'follow' } },
  copy_into: { writes: true, paths: { target_path: 'place' } },
  archive: { writes: false, paths: { path: 'follow' } },
  extract: { writes: true, paths: { path: 'follow', target_path: 'place' } },
  write: { writes: true, paths: { path: 'place' } },
  upload: { writes: true, paths: { path: 'place' } },
  mkdir: { writes: true, paths: { path: 'place' } },
  mkdir_parents: { writes: true, paths: { path: 'new' } },
  rename: { writes: true, paths: { old_path: 'member', new_path: 'member' } },
  delete: { writes: true, paths: { path: 'member' } },
  chmod: { writes: true, paths: { path: 'follow' } },
} as const satisfies Record<string, OperationRule>;

export type Operation = keyof typeof OPERATIONS;
/** One argument per path of the operation. */
export type PathsOf<O extends Operation> = { readonly [K in keyof (typeof OPERATIONS)[O]['paths']]: string };

/** What they write through a dangling link is created where the link leads; others take the link for an entry. */
const MAKES_FILES: readonly Operation[] = ['write', 'upload', 'copy_into'];

export function makesFiles(operation: Operation): boolean {
  return MAKES_FILES.includes(operation);
}

/** What the caller asks for with an operation. */
export function actionOf(operation: Operation): 'read_files' | 'write_files' {
  return OPERATIONS[operation].writes ? 'write_files' : 'read_files';
}

type SftpSwitches = Pick<Server, 'sftp_read_only' | 'sftp_allowed_paths'>;

/** Checked before the host is contacted. */
export function assertMayWrite(
  { sftp_read_only }: Pick<Server, 'sftp_read_only'>,
  operation: Operation,
): void {
  if (OPERATIONS[operation].writes && sftp_read_only) throw new Fault('sftp_read_only');
}

/** Checks a path resolved by the host against the allowed paths. Applies to administrators too. */
export function authorizePath(
  { sftp_allowed_paths }: Pick<SftpSwitches, 'sftp_allowed_paths'>,
  rule: PathRule,
  real_path: string,
): void {
  const judged = rule === 'member' ? [real_path, parentOf(real_path)] : [real_path];
  if (!judged.every((path) => isAllowed(sftp_allowed_paths, path))) throw new Fault('path_outside_allowed');
}

/**
 * Nothing may rename, replace or delete an allowed directory or an ancestor of one: a link in its place would allow what
 * the link leads to. `entries` are all names on the way to the allowed directories.
 */
export function assertMayReplace(entries: readonly string[], real_path: string): void {
  if (isOnTheWay(entries, real_path)) throw new Fault('allowed_directory');
}

/** Refuses too much rather than too little: what some host takes for the same name counts as the same. */
export function isOnTheWay(entries: readonly string[], real_path: string): boolean {
  if (entries.length === 0) return false;
  const replaced = folded(real_path);
  return entries.some((entry) => isInside(folded(entry), replaced));
}

/** Hosts may ignore case, also that of ſ and ß, the form of accents, and characters without a glyph. */
function folded(path: string): string {
  return namesOf(path).split('/').map(foldedName).join('/');
}

function foldedName(name: string): string {
  if (name.length > LONGEST_FOLDED) throw new Fault('name_too_long');
  const shown = withoutIgnorable(normalized(withoutIgnorable(name), 'NFD'));
  return normalized(shown.toUpperCase().toLowerCase());
}

function withoutIgnorable(name: string): string {
  return name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

function isAllowed(allowed_paths: readonly string[], real_path: string): boolean {
  return (
    allowed_paths.length === 0 || allowed_paths.some((allowed) => isInside(real_path, normalizePath(allowed)))
  );
}
