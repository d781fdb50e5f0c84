import type { FileKind, FileStat } from '#core/ports/files.ts';

const KIND_MASK = 0o170000;
const DIRECTORY = 0o040000;
const REGULAR = 0o100000;
const SYMLINK = 0o120000;

const TYPE_LETTERS = new Map([
  [DIRECTORY, 'd'],
  [REGULAR, '-'],
  [SYMLINK, 'l'],
  [0o010000, 'p'],
  [0o020000, 'c'],
  [0o060000, 'b'],
  [0o140000, 's'],
]);

/** Attributes as the server reports them; 0 for missing fields. */
export interface Stats {
  readonly size: number;
  readonly uid: number;
  readonly gid: number;
  /** Includes the file type bits. */
  readonly mode: number;
  /** Seconds. */
  readonly atime: number;
  readonly mtime: number;
}

export type RemoteAttributes = Partial<Stats>;

export function kindOf({ mode = 0 }: Pick<RemoteAttributes, 'mode'>): FileKind {
  switch (mode & KIND_MASK) {
    case DIRECTORY:
      return 'directory';
    case REGULAR:
      return 'file';
    case SYMLINK:
      return 'symlink';
    default:
      return 'other';
  }
}

/** Permissions as in `ls -l`, with setuid, setgid and sticky bits. */
export function longPermissions(mode: number): string {
  const type = TYPE_LETTERS.get(mode & KIND_MASK) ?? '?';
  const user = triple(mode >> 6, mode & 0o4000, 's');
  const group = triple(mode >> 3, mode & 0o2000, 's');
  const others = triple(mode, mode & 0o1000, 't');
  return type + user + group + others;
}

function triple(bits: number, special: number, letter: string): string {
  const execute = bits & 1;
  const last = special ? (execute ? letter : letter.toUpperCase()) : execute ? 'x' : '-';
  return (bits & 4 ? 'r' : '-') + (bits & 2 ? 'w' : '-') + last;
}

/** SFTP version 3 times are whole seconds. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export function toFileStat(attributes: RemoteAttributes): FileStat {
  const { size = 0, mtime = 0, mode = 0 } = attributes;
  return { kind: kindOf(attributes), size, mode: mode & 0o7777, modified: isoTime(mtime) };
}
