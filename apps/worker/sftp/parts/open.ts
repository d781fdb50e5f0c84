import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isDiskFull, isTaken, isTooLong } from '../protocol/failures.ts';
import type { Handle, OpenFlags } from '../protocol/requests.ts';
import { isUnexplained } from '../protocol/status.ts';
import { actInVerified, assertSameFile } from '../protocol/swap-check.ts';

export interface OpenPart {
  readonly handle: Handle;
  readonly stats: Stats;
}

/** Opens a part for writing and verifies that it is the file at this real path. */
export async function openPart(
  channel: SftpChannel,
  path: string,
  flags: OpenFlags = 'r+',
): Promise<OpenPart> {
  // Checked before the open, which would follow a link or block on a FIFO, and after it, because paths can be swapped.
  if (kindOf(await channel.lstat(path)) !== 'file') throw new Fault('not_a_file');
  const handle = await channel.open(path, flags);
  try {
    return { handle, stats: await assertSameFile(channel, handle, path) };
  } catch (error) {
    await channel.close(handle).catch(() => {}); // the first error is the one to report
    throw error;
  }
}

/** Some files may be written, but not read. */
export async function openToWrite(channel: SftpChannel, path: string): Promise<OpenPart> {
  try {
    return await openPart(channel, path);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'permission_denied') throw error;
    return openPart(channel, path, 'w').catch(() => {
      throw error;
    });
  }
}

/** Removes the content of a file that has been opened for writing before. */
export function openEmptied(channel: SftpChannel, path: string): Promise<Handle> {
  const act = () => channel.open(path, 'wt');
  return actInVerified(channel, [path], { act });
}

/** The host gives no other reason than that it does not want to. */
export function isRefused(error: unknown): boolean {
  return isUnexplained(error) || (error instanceof Fault && error.code === 'permission_denied');
}

const UNLINK_ATTEMPTS = 12;
const OTHERS = 0o077;
const PRIVATE_MODE = 0o600;
const USUAL_MODE = 0o666; // minus the server's umask

export interface NewFile {
  /** Only its owner can read it. */
  readonly is_private: boolean;
  /** Minus the host's umask; what the host usually gives by default. */
  readonly mode?: number | undefined;
}

export async function createPart(channel: SftpChannel, path: string, options: NewFile): Promise<void> {
  await channel.close(await openNewPart(channel, path, options));
}

/** Creates a part and verifies that it is at this real path. */
export async function openNewPart(
  channel: SftpChannel,
  path: string,
  { is_private, mode = USUAL_MODE }: NewFile,
): Promise<Handle> {
  const handle = await openNew(channel, path, is_private ? PRIVATE_MODE : mode);
  if (!channel.is_confined) return handle;
  try {
    await assertSameFile(channel, handle, path);
    return handle;
  } catch (error) {
    // An attacker may keep swapping the directory; with this many attempts, one should hit the stray file.
    await Promise.allSettled(Array.from({ length: UNLINK_ATTEMPTS }, () => channel.unlink(path)));
    await channel.close(handle).catch(() => {}); // the first error is the one to report
    throw error;
  }
}

async function openNew(channel: SftpChannel, path: string, mode: number): Promise<Handle> {
  try {
    return await channel.open(path, 'wx', mode);
  } catch (error) {
    if (!isUnexplained(error)) throw error;
    if (await isTaken(channel, path)) throw new Fault('already_exists', undefined, { cause: error });
    if (isTooLong(path)) throw new Fault('name_too_long', undefined, { cause: error });
    const is_full = await isDiskFull(channel, parentOf(path), 1);
    throw is_full ? new Fault('remote_disk_full', undefined, { cause: error }) : error;
  }
}

/** Some hosts refuse to open an existing file for writing: there, an empty part is created again. */
export async function openPartAt(channel: SftpChannel, path: string, offset: number): Promise<OpenPart> {
  try {
    return await openPart(channel, path);
  } catch (error) {
    if (!isRefused(error) || offset > 0) throw error;
    const stats = await channel.lstat(path);
    if (stats.size > 0 || kindOf(stats) !== 'file') throw error;
    await actInVerified(channel, [parentOf(path)], { act: () => channel.unlink(path) });
    const is_private = (stats.mode & OTHERS) === 0;
    return { handle: await openNewPart(channel, path, { is_private }), stats };
  }
}
