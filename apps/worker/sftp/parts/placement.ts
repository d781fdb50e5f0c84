import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { lstatIfExists } from '../protocol/failures.ts';
import { linkCount } from '../protocol/links.ts';
import { refusalsOf, refusesWrites } from '../protocol/refusals.ts';
import type { Handle } from '../protocol/requests.ts';
import { isUnexplained } from '../protocol/status.ts';

const GROUP = 0o070;
const OWNER_WRITES = 0o200;
const WRITE_PROTECTED = 'The file is write-protected: a new file in its place would change that';
const FOREIGN =
  'The file belongs to another account or group, and this account may not write to it: a new file in its place would change that';

interface Place {
  readonly target: string;
  readonly overwrite: boolean;
}

/** How new content gets to its target, as far as the target decides it. */
export type Placement =
  /** A new file under a name that is free. */
  | { readonly kind: 'create' }
  /** A new file that is renamed over the old one, with this mode. */
  | { readonly kind: 'replace'; readonly replaced: Stats; readonly mode: number }
  /** Written to the file that is there, which keeps everything but its content. */
  | { readonly kind: 'in_place'; readonly replaced: Stats };

/**
 * The one decision between a new file and writing in place. SFTP reports the mode, the owner and, in a listing, the number
 * of hard links, but no access list: where one could grant what the mode of a new file would not, the file itself is written.
 */
export async function decidePlacement(channel: SftpChannel, place: Place): Promise<Placement> {
  const replaced = await lookAtTarget(channel, place);
  if (!replaced) return { kind: 'create' };
  const { target } = place;
  const may_hide = mayHideAccessList(replaced.mode);
  if (!(await isWritable(channel, target, replaced))) {
    return { kind: 'replace', replaced, mode: permissionsOf(replaced) };
  }
  if (channel.is_confined) return placeConfined(channel, { target, replaced, may_hide });
  if (may_hide) return { kind: 'in_place', replaced };
  const links = await linkCount(channel, target, { is_needed: false });
  if (links === 1 || links === 'not_reported')
    return { kind: 'replace', replaced, mode: permissionsOf(replaced) };
  return { kind: 'in_place', replaced };
}

/** The file that would be replaced. */
async function lookAtTarget(channel: SftpChannel, { target, overwrite }: Place): Promise<Stats | undefined> {
  const replaced = await lstatIfExists(channel, target);
  if (!replaced) return undefined;
  const kind = kindOf(replaced);
  if (!overwrite && (kind === 'file' || kind === 'symlink')) throw new Fault('already_exists');
  if (kind !== 'file') throw new Fault('not_a_file'); // a link has been resolved before, or has just been made
  return replaced;
}

/**
 * The group bits of a file with an access list are its mask, acl(5): entries for others may grant as much. No such entry
 * matters where everybody may do the same.
 */
function mayHideAccessList(mode: number): boolean {
  return (((mode & GROUP) >> 3) & ~mode) !== 0;
}

/** Throws for a file that the account may not write; false for a program that is running, which only a new file replaces. */
async function isWritable(channel: SftpChannel, target: string, { mode }: Stats): Promise<boolean> {
  try {
    await channel.close(await openForWriting(channel, target));
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === 'permission_denied') {
      if (refusesWrites(await refusalsOf(channel, parentOf(target)))) throw error; // not because of this file
      throw new Fault('permission_denied', mode & OWNER_WRITES ? FOREIGN : WRITE_PROTECTED, { cause: error });
    }
    if (isUnexplained(error) && !mayHideAccessList(mode)) return false;
    throw error;
  }
}

/** Some files may be written, but not read. */
async function openForWriting(channel: SftpChannel, path: string): Promise<Handle> {
  try {
    return await channel.open(path, 'r+');
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'permission_denied') throw error;
    return channel.open(path, 'w').catch(() => {
      throw error;
    });
  }
}

interface Confined {
  readonly target: string;
  readonly replaced: Stats;
  readonly may_hide: boolean;
}

/** Another name of the file may be outside the allowed directories, where nothing may change. */
async function placeConfined(
  channel: SftpChannel,
  { target, replaced, may_hide }: Confined,
): Promise<Placement> {
  const mode = permissionsOf(replaced);
  if (!may_hide) return { kind: 'replace', replaced, mode };
  const links = await linkCount(channel, target, { is_needed: true });
  if (links === 1) return { kind: 'in_place', replaced };
  if (links === 'not_reported') return { kind: 'replace', replaced, mode }; // no POSIX host
  return { kind: 'replace', replaced, mode: withoutHidden(mode) };
}

/** The group gets nothing that its own entry may not have had. */
function withoutHidden(mode: number): number {
  const others = (mode & 0o007) << 3;
  return mode & (~GROUP | others);
}

export function permissionsOf({ mode }: Stats): number {
  return mode & 0o7777;
}
