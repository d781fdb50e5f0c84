import { Fault, toFault } from '#core/errors.ts';
import { parentOf } from '#core/lib/posix-path.ts';
import type { Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { type Backup, backUp } from './backup.ts';
import { copyContent, cutAt, syncFile, writeBytes } from './copy-content.ts';
import { linkCount } from './links.ts';
import { type OpenPart, openPart } from './open.ts';
import { explainRefusal } from './write.ts';

const PERMISSIONS = 0o7777;
const FOREIGN =
  'The file belongs to another account or group, and this account may not write to it: a new file in its place would change that';

const LINKED =
  'The file can only be written in place, and it has or may have a second name (a hard link) outside the allowed directories';

/** Writes the new content to an open file, from the start; resolves with its size. */
export type Content = (channel: SftpChannel, to: Handle) => Promise<number>;

/** Whether the host has left the mode as it was: it may remove set-user-ID and set-group-ID bits. */
export interface WrittenInPlace {
  readonly size: number;
  readonly is_mode_kept: boolean;
}

/** The content of a part. */
export function contentOf(part: string): Content {
  return async (channel, to) => {
    const from = await channel.open(part);
    try {
      return await copyContent(channel, from, to);
    } finally {
      await channel.close(from).catch(() => {}); // nothing depends on it any more
    }
  };
}

export function contentIn(bytes: Uint8Array): Content {
  return (channel, to) => writeBytes(channel, to, bytes);
}

/**
 * Writes to the file itself, which keeps its owner, group, links and access rules. Its old content is copied first, and
 * written back if the new one cannot be written. Does not stop halfway when somebody goes away.
 */
export async function writeInPlace(
  channel: SftpChannel,
  target: string,
  content: Content,
): Promise<WrittenInPlace> {
  await assertOneName(channel, target);
  const { handle, stats } = await openTarget(channel, target);
  try {
    const backup = await backUp(channel, target, handle);
    const size = await replaceContent(channel, { handle, target, content, backup });
    await backup.remove().catch(() => {}); // the save itself succeeded
    return { size, is_mode_kept: await keepsMode(channel, handle, stats) };
  } finally {
    await channel.close(handle).catch(() => {}); // everything has been written
  }
}

/** The path rules judge names, and writing to a file changes what all of its names show. */
async function assertOneName(channel: SftpChannel, target: string): Promise<void> {
  if (channel.is_confined && (await linkCount(channel, target)) !== 1) {
    throw new Fault('permission_denied', LINKED);
  }
}

async function openTarget(channel: SftpChannel, target: string): Promise<OpenPart> {
  try {
    return await openPart(channel, target);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'permission_denied') throw error;
    throw new Fault('permission_denied', FOREIGN, { cause: error });
  }
}

interface Replacing {
  readonly handle: Handle;
  readonly target: string;
  readonly content: Content;
  readonly backup: Backup;
}

async function replaceContent(channel: SftpChannel, replacing: Replacing): Promise<number> {
  const { handle, target, content, backup } = replacing;
  try {
    const size = await content(channel, handle);
    await cutAt(channel, handle, size);
    await syncFile(channel, handle);
    return size;
  } catch (error) {
    const reason = await explainRefusal(error, { channel, path: parentOf(target), needed_bytes: 1 });
    await backup.restore().catch(() => {
      throw torn(reason, backup);
    });
    await backup.remove().catch(() => {}); // the old content is in the file
    throw reason;
  }
}

/** The first error, and where the old content is now. */
function torn(error: unknown, { path }: Backup): Fault {
  const { code, detail, options } = toFault(error);
  const where = path === undefined ? 'could not be put back' : `is in ${path}`;
  const message = `${detail}. The file may be incomplete; its previous content ${where}`;
  return new Fault(code, message, { ...options, cause: error });
}

/** The system removes set-ID bits when somebody other than root writes to a file. */
async function keepsMode(channel: SftpChannel, handle: Handle, { mode }: Stats): Promise<boolean> {
  const isKept = async () => ((await channel.fstat(handle)).mode & PERMISSIONS) === (mode & PERMISSIONS);
  if (await isKept()) return true;
  await channel.fsetstat(handle, { mode: mode & PERMISSIONS }).catch(() => {}); // only its owner may
  return isKept();
}
