import { Fault } from '#core/errors.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Settable } from '../protocol/encode.ts';
import type { Handle } from '../protocol/requests.ts';
import { isUnexplained, isUnsupported } from '../protocol/status.ts';
import { actInVerified } from '../protocol/swap-check.ts';

const PERMISSIONS = 0o7777;
const SET_ID = 0o6000;

/** A part whose attributes are set. */
export interface SettablePart {
  readonly path: string;
  /** Undefined when the host does not let it be opened again. */
  readonly handle: Handle | undefined;
  readonly stats: Stats;
}

/** A replaced file keeps its mode and, where permitted, its owner. A link has none of its own. */
export async function takeOver(channel: SftpChannel, part: SettablePart, replaced: Stats): Promise<void> {
  if (kindOf(replaced) !== 'file') return;
  const is_owner_kept = await copyOwner(channel, part, replaced);
  const permissions = replaced.mode & PERMISSIONS;
  // Setuid and setgid bits must not carry over to a different owner.
  await setMode(channel, part, is_owner_kept ? permissions : permissions & ~SET_ID);
}

export async function setMode(channel: SftpChannel, part: SettablePart, mode: number): Promise<void> {
  if ((part.stats.mode & PERMISSIONS) !== mode) await setAttributes(channel, part, { mode });
}

/** Only root may change the owner, and only members may set a group, so a refusal is not an error. */
async function copyOwner(channel: SftpChannel, part: SettablePart, replaced: Stats): Promise<boolean> {
  const { uid, gid } = replaced;
  const { stats } = part;
  if (stats.uid === uid && stats.gid === gid) return true;
  const give = (owner: { uid: number; gid: number }) =>
    setAttributes(channel, part, { owner }).then(
      () => true,
      () => false,
    );
  if (await give({ uid, gid })) return true;
  if (stats.gid !== gid) await give({ uid: stats.uid, gid });
  return false;
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
