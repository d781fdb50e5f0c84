import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import { kindOf, type RemoteAttributes } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { explainRefused, isTaken, isTooLong, lstatIfExists } from '../protocol/failures.ts';
import { replaceViaBackup } from '../protocol/replace.ts';
import { isUnexplained, isUnsupported } from '../protocol/status.ts';
import { actInVerified } from '../protocol/swap-check.ts';

/** Undefined when nothing is there; of a link, the link itself. */
export async function lstatPath(channel: SftpChannel, path: string): Promise<RemoteAttributes | undefined> {
  try {
    return await lstatIfExists(channel, path);
  } catch (error) {
    throw isTooLong(path) ? new Fault('name_too_long', undefined, { cause: error }) : error;
  }
}

export async function makeDirectory(channel: SftpChannel, path: string): Promise<void> {
  try {
    const [act, undo] = [() => channel.mkdir(path), () => channel.rmdir(path)];
    await actInVerified(channel, [parentOf(path)], { act, undo });
  } catch (error) {
    throw await explain(channel, path, error);
  }
}

const NO_LINK = 'The host did not create the link as it was asked to';

/** `target` is kept as it is: nothing has to exist there. */
export async function makeLink(channel: SftpChannel, path: string, target: string): Promise<void> {
  if (target === '' || target.includes('\0')) throw new Fault('invalid_path');
  try {
    const [act, undo] = [() => channel.symlink(path, target), () => channel.unlink(path)];
    await actInVerified(channel, [parentOf(path)], { act, undo });
  } catch (error) {
    throw await explain(channel, path, error);
  }
  const made = await channel.readlink(path).catch(() => undefined);
  if (made !== target) throw new Fault('sftp_failed', NO_LINK);
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
}

export async function movePath(channel: SftpChannel, { from, to, overwrite }: Move): Promise<void> {
  const [source, target] = await Promise.all([channel.lstat(from), lstatPath(channel, to)]);
  if (from === to) return;
  if (target && !(overwrite && isDirectory(source) === isDirectory(target)))
    throw new Fault('already_exists');
  try {
    await actInVerified(channel, [...new Set([parentOf(from), parentOf(to)])], {
      act: () => (target ? replace(channel, { from, to, target }) : channel.rename(from, to)),
      undo: () => (target ? Promise.resolve() : channel.rename(to, from)),
    });
  } catch (error) {
    throw await explainMove(channel, { from, to, target }, error);
  }
}

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly target: RemoteAttributes | undefined;
}

/** Atomically if the host supports it. */
async function replace(channel: SftpChannel, { from, to, target }: Replacement): Promise<void> {
  try {
    return await channel.posixRename(from, to);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  }
  if (!target || !isDirectory(target)) return replaceViaBackup(channel, from, to);
  await channel.rmdir(to);
  await channel.rename(from, to);
}

async function explainMove(channel: SftpChannel, move: Replacement, error: unknown): Promise<unknown> {
  const { to, target } = move;
  if (!isUnexplained(error)) return explainRefused(channel, { path: to, kind: 'rename' }, error);
  // Only an empty directory can be replaced.
  if (target && isDirectory(target)) return new Fault('already_exists', undefined, { cause: error });
  const explained = target ? error : await explain(channel, to, error);
  if (explained !== error) return explained;
  const detail =
    'The host could not move it: the destination may be on another file system or not allow this name';
  return new Fault('sftp_failed', detail, { cause: error });
}

/** Why nothing could be created at this path. */
async function explain(channel: SftpChannel, path: string, error: unknown): Promise<unknown> {
  if (!isUnexplained(error)) return error;
  if (isTooLong(path)) return new Fault('name_too_long', undefined, { cause: error });
  return (await isTaken(channel, path)) ? new Fault('already_exists', undefined, { cause: error }) : error;
}

function isDirectory(attributes: RemoteAttributes): boolean {
  return kindOf(attributes) === 'directory';
}
