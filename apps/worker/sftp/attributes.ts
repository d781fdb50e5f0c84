import type { FileEntryWithStats, Stats } from 'ssh2';
import type { FileKind, FileStat } from '#core/ports/ssh.ts';

const KIND_MASK = 0o170000;
const DIRECTORY = 0o040000;
const REGULAR = 0o100000;
const SYMLINK = 0o120000;

const TYPE_LETTERS: Readonly<Record<number, string>> = {
  [DIRECTORY]: 'd',
  [REGULAR]: '-',
  [SYMLINK]: 'l',
  2401: 'p',
  4802: 'c',
  14406: 'b',
  26411: 's',
};

export type RemoteAttributes = Partial<FileEntryWithStats['attrs'] & Stats>;

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

/** As `ls -l` writes it, with setuid, setgid and sticky bits. */
export function longPermissions(mode: number): string {
  const type = TYPE_LETTERS[mode & KIND_MASK] ?? '?';
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
  const { size = 0, mtime = 0 } = attributes;
  return { kind: kindOf(attributes), size, modified: isoTime(mtime) };
}
