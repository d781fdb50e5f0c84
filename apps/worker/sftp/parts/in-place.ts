import { Fault, toFault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { linkCount } from '../protocol/links.ts';
import { isRefusal } from '../protocol/refusals.ts';
import { type Backup, backUp } from './backup.ts';
import type { Content } from './content.ts';
import { cutAt, syncFile } from './copy-content.ts';
import { type OpenPart, openEmptied, openToWrite } from './open.ts';
import { explainRefusal } from './write.ts';

const PERMISSIONS = 0o7777;

const LINKED =
  'The file can only be written in place, and it has or may have a second name (a hard link) outside the allowed directories';

/** Whether the host has left the mode as it was: it may remove set-user-ID and set-group-ID bits. */
export interface WrittenInPlace {
  readonly size: number;
  readonly is_mode_kept: boolean;
}

/**
 * Writes to the file itself, which keeps its owner, group, links and access rules. Its old content is copied first, where
 * the host lets it be read, and written back if the new one cannot be written.
 */
export async function writeInPlace(
  channel: SftpChannel,
  target: string,
  content: Content,
): Promise<WrittenInPlace> {
  await assertOneName(channel, target);
  const file = await openTarget(channel, target);
  try {
    const backup = await backUp(channel, target, file.handle);
    const size = await replaceContent(channel, { file, target, content, backup });
    await backup?.remove().catch(() => {}); // the save itself succeeded
    return { size, is_mode_kept: await keepsMode(channel, file) };
  } finally {
    await channel.close(file.handle).catch(() => {}); // everything has been written
  }
}

/** The path rules judge names, and writing to a file changes what all of its names show. */
export async function assertOneName(channel: SftpChannel, target: string): Promise<void> {
  if (channel.is_confined && (await linkCount(channel, target, { is_needed: true })) !== 1) {
    throw new Fault('permission_denied', LINKED);
  }
}

interface Target extends OpenPart {
  /** The host sets no attributes of an open file, so it cannot be cut off either. */
  readonly is_uncuttable: boolean;
}

async function openTarget(channel: SftpChannel, target: string): Promise<Target> {
  const opened = await openToWrite(channel, target);
  const asked = channel.fsetstat(opened.handle, {}); // sets nothing
  const is_uncuttable = await asked.then(
    () => false,
    (error: unknown) => isRefusal(error),
  );
  return { ...opened, is_uncuttable };
}

interface Replacing {
  readonly file: Target;
  readonly target: string;
  readonly content: Content;
  readonly backup: Backup | undefined;
}

async function replaceContent(channel: SftpChannel, replacing: Replacing): Promise<number> {
  const { target, content, backup } = replacing;
  try {
    return await write(channel, replacing, content);
  } catch (error) {
    const reason = await explainRefusal(error, { channel, path: parentOf(target), needed_bytes: 1 });
    if (!backup) throw torn(reason, undefined);
    await write(channel, replacing, backup.content).catch(() => {
      throw torn(reason, backup);
    });
    await backup.remove().catch(() => {}); // the old content is in the file
    throw reason;
  }
}

/** The whole content; what the file had behind it is cut off, before or after. */
async function write(
  channel: SftpChannel,
  { file, target }: Pick<Replacing, 'file' | 'target'>,
  content: Content,
): Promise<number> {
  if (file.is_uncuttable) return writeEmptied(channel, target, content);
  const size = await content(channel, file.handle);
  await cutAt(channel, file.handle, size);
  await syncFile(channel, file.handle);
  return size;
}

async function writeEmptied(channel: SftpChannel, target: string, content: Content): Promise<number> {
  const handle = await openEmptied(channel, target);
  try {
    return await content(channel, handle);
  } finally {
    await channel.close(handle);
  }
}

/** The first error, and where the old content is now. */
function torn(error: unknown, backup: Backup | undefined): Fault {
  const { code, detail, options } = toFault(error);
  const path = backup?.path;
  const where = path === undefined ? 'could not be put back' : `is in ${path}`;
  const message = `${detail}. The file may be incomplete; its previous content ${where}`;
  return new Fault(code, message, { ...options, cause: error });
}

/** The system removes set-ID bits when somebody other than root writes to a file. */
async function keepsMode(channel: SftpChannel, { handle, stats: { mode } }: Target): Promise<boolean> {
  const isKept = async () => ((await channel.fstat(handle)).mode & PERMISSIONS) === (mode & PERMISSIONS);
  if (await isKept()) return true;
  await channel.fsetstat(handle, { mode: mode & PERMISSIONS }).catch(() => {}); // only its owner may
  return isKept();
}
