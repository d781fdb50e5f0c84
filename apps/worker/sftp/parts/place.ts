import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/posix-path.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isDiskFull, isTaken, lstatIfExists } from '../protocol/failures.ts';
import { replaceViaBackup } from '../protocol/replace.ts';
import type { Handle } from '../protocol/requests.ts';
import { isUnexplained, isUnsupported } from '../protocol/status.ts';
import { assertStillReal } from '../protocol/swap-check.ts';
import { openPart } from './open.ts';

export interface PlaceRequest {
  readonly path: string;
  readonly target: string;
  readonly overwrite: boolean;
}

const PERMISSIONS = 0o7777;
const SET_ID = 0o6000;

export async function placePart(channel: SftpChannel, request: PlaceRequest): Promise<void> {
  const { path, target, overwrite } = request;
  const replaced = await lstatIfExists(channel, target);
  if (replaced) assertReplaceable(replaced, overwrite);
  if (replaced && kindOf(replaced) === 'file') await copyPermissions(channel, path, replaced);
  await assertParentsReal(channel, request);
  // Checked again together with the rename, so that a swapped directory has little time to go unnoticed.
  await Promise.all([
    overwrite ? renameOver(channel, request) : renameFresh(channel, request),
    assertParentsReal(channel, request),
  ]);
}

/** A link itself may be replaced: it is dangling, or its real path would be the target. */
function assertReplaceable(replaced: Stats, overwrite: boolean): void {
  const kind = kindOf(replaced);
  if (kind !== 'file' && kind !== 'symlink') throw new Fault('not_a_file');
  if (!overwrite) throw new Fault('already_exists');
}

async function assertParentsReal(channel: SftpChannel, { path, target }: PlaceRequest): Promise<void> {
  const parents = new Set([parentOf(path), parentOf(target)]);
  await Promise.all([...parents].map((parent) => assertStillReal(channel, parent)));
}

async function copyPermissions(channel: SftpChannel, path: string, replaced: Stats): Promise<void> {
  const { handle, stats } = await openPart(channel, path);
  try {
    const is_owner_kept = await copyOwner(channel, handle, { stats, replaced });
    const permissions = replaced.mode & PERMISSIONS;
    // Setuid and setgid bits must not carry over to a different owner.
    await channel.fsetstat(handle, { mode: is_owner_kept ? permissions : permissions & ~SET_ID });
  } finally {
    await channel.close(handle).catch(() => {}); // nothing depends on it any more
  }
}

/** Only root may change the owner, and only members may set a group, so a refusal is not an error. */
async function copyOwner(
  channel: SftpChannel,
  handle: Handle,
  { stats, replaced }: { stats: Stats; replaced: Stats },
): Promise<boolean> {
  const { uid, gid } = replaced;
  if (stats.uid === uid && stats.gid === gid) return true;
  const give = (owner: { uid: number; gid: number }) =>
    channel.fsetstat(handle, { owner }).then(
      () => true,
      () => false,
    );
  if (await give({ uid, gid })) return true;
  if (stats.gid !== gid) await give({ uid: stats.uid, gid });
  return false;
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
