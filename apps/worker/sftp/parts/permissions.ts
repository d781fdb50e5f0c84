import { Fault } from '#core/errors.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Settable } from '../protocol/encode.ts';
import type { Handle } from '../protocol/requests.ts';
import { isUnexplained, isUnsupported } from '../protocol/status.ts';
import { actInVerified } from '../protocol/swap-check.ts';
import { isRefused } from './open.ts';

const PERMISSIONS = 0o7777;

/** A part whose attributes are set. */
export interface SettablePart {
  readonly path: string;
  /** Undefined when the host does not let it be opened again. */
  readonly handle: Handle | undefined;
  readonly stats: Stats;
}

/** Gives the part the owner, group and mode of the file it will replace; false if the host does not permit it. */
export async function takeOver(
  channel: SftpChannel,
  part: SettablePart,
  { uid, gid, mode }: Owned,
): Promise<boolean> {
  const { stats } = part;
  const has_owner =
    (stats.uid === uid && stats.gid === gid) || (await isSet(channel, part, { owner: { uid, gid } }));
  if (!has_owner) return false; // only root may change the owner, and only members may set a group
  return setMode(channel, part, mode); // after the owner: a new owner loses set-ID bits
}

interface Owned {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** False if the host does not permit it. */
export async function setMode(channel: SftpChannel, part: SettablePart, mode: number): Promise<boolean> {
  if ((part.stats.mode & PERMISSIONS) === mode) return true;
  return isSet(channel, part, { mode });
}

/** A refusal is not an error, unless the connection is gone. */
async function isSet(channel: SftpChannel, part: SettablePart, wanted: Settable): Promise<boolean> {
  try {
    await setAttributes(channel, part, wanted);
    return true;
  } catch (error) {
    if (isRefused(error) || isUnsupported(error)) return false;
    throw error;
  }
}

const LATEST_S = 0xffff_ffff;

/** The content counts more than its date, so a refusal is not an error. */
export async function setModified(channel: SftpChannel, part: SettablePart, modified: string): Promise<void> {
  const mtime = Math.floor(Date.parse(modified) / 1000);
  if (mtime < 0 || mtime > LATEST_S) return;
  await setAttributes(channel, part, { mtime }).catch(() => {});
}

/** By handle, or by path on hosts that cannot set the attributes of an open file, such as Twisted. */
async function setAttributes(
  channel: SftpChannel,
  { path, handle }: SettablePart,
  wanted: Settable,
): Promise<void> {
  try {
    if (handle) return await channel.fsetstat(handle, wanted);
  } catch (error) {
    if (!isUnsupported(error) && !isUnexplained(error)) throw error;
  }
  await actInVerified(channel, [path], {
    async act() {
      // `setstat` follows links.
      if (kindOf(await channel.lstat(path)) !== 'file') throw new Fault('not_a_file');
      await channel.setstat(path, wanted);
    },
  });
}
