import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/posix-path.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isDiskFull, isTaken, lstatIfExists } from '../protocol/failures.ts';
import { replaceViaBackup } from '../protocol/replace.ts';
import { isUnexplained, isUnsupported } from '../protocol/status.ts';
import { assertStillReal } from '../protocol/swap-check.ts';
import { contentOf, type WrittenInPlace, writeInPlace } from './in-place.ts';
import { isRefused, openPart } from './open.ts';
import { type SettablePart, takeOver } from './permissions.ts';

export interface PlaceRequest {
  readonly path: string;
  readonly target: string;
  readonly overwrite: boolean;
}

export async function placePart(channel: SftpChannel, request: PlaceRequest): Promise<void> {
  const replaced = await lookAtTarget(channel, request);
  const is_file = replaced !== undefined && kindOf(replaced) === 'file';
  if (is_file && !(await copyPermissions(channel, request.path, replaced))) await pour(channel, request);
  else await movePart(channel, request);
}

/** Writes the content of the part to the target itself, and removes the part. */
export async function pour(
  channel: SftpChannel,
  { path, target }: Pick<PlaceRequest, 'path' | 'target'>,
): Promise<WrittenInPlace> {
  const written = await writeInPlace(channel, target, contentOf(path));
  await channel.unlink(path).catch(() => {}); // the content is in place
  return written;
}

/** The file that will be replaced. A link itself may be: it is dangling, or its real path would be the target. */
export async function lookAtTarget(
  channel: SftpChannel,
  { target, overwrite }: PlaceRequest,
): Promise<Stats | undefined> {
  const replaced = await lstatIfExists(channel, target);
  if (!replaced) return undefined;
  const kind = kindOf(replaced);
  if (kind !== 'file' && kind !== 'symlink') throw new Fault('not_a_file');
  if (!overwrite) throw new Fault('already_exists');
  return replaced;
}

/** Renames the part. */
export async function movePart(channel: SftpChannel, request: PlaceRequest): Promise<void> {
  await assertParentsReal(channel, request);
  // Checked again together with the rename, so that a swapped directory has little time to go unnoticed.
  await Promise.all([
    request.overwrite ? renameOver(channel, request) : renameFresh(channel, request),
    assertParentsReal(channel, request),
  ]);
}

async function assertParentsReal(channel: SftpChannel, { path, target }: PlaceRequest): Promise<void> {
  if (!channel.is_confined) return;
  const parents = new Set([parentOf(path), parentOf(target)]);
  await Promise.all([...parents].map((parent) => assertStillReal(channel, parent)));
}

async function copyPermissions(channel: SftpChannel, path: string, replaced: Stats): Promise<boolean> {
  const { handle, stats } = await openAgain(channel, path);
  try {
    return await takeOver(channel, { path, handle, stats }, replaced);
  } finally {
    if (handle) await channel.close(handle).catch(() => {}); // nothing depends on it any more
  }
}

/** Some hosts do not let an existing file be opened for writing. */
async function openAgain(channel: SftpChannel, path: string): Promise<Omit<SettablePart, 'path'>> {
  try {
    return await openPart(channel, path);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { handle: undefined, stats: await channel.lstat(path) };
  }
}

async function renameOver(channel: SftpChannel, { path, target }: PlaceRequest): Promise<void> {
  try {
    await channel.posixRename(path, target);
  } catch (error) {
    if (!isUnsupported(error)) throw await explain(channel, target, error);
    const found = await lstatIfExists(channel, target);
    await (found ? replaceViaBackup(channel, path, target) : channel.rename(path, target));
  }
}

async function renameFresh(channel: SftpChannel, { path, target }: PlaceRequest): Promise<void> {
  try {
    await channel.rename(path, target);
  } catch (error) {
    const is_taken = isUnexplained(error) && (await isTaken(channel, target));
    throw is_taken
      ? new Fault('already_exists', undefined, { cause: error })
      : await explain(channel, target, error);
  }
}

async function explain(channel: SftpChannel, target: string, error: unknown): Promise<unknown> {
  if (!isUnexplained(error)) return error;
  const found = await channel.lstat(target).catch(() => undefined);
  if (found && kindOf(found) === 'directory') return new Fault('not_a_file', undefined, { cause: error });
  if (await isDiskFull(channel, parentOf(target), 1)) {
    return new Fault('remote_disk_full', undefined, { cause: error });
  }
  return error;
}
