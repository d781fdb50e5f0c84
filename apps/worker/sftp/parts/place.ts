import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import { kindOf } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isDiskFull, isTaken, lstatIfExists, NO_RENAME } from '../protocol/failures.ts';
import { isRefusal, rememberRefusal } from '../protocol/refusals.ts';
import { replaceViaBackup } from '../protocol/replace.ts';
import { isUnexplained, isUnsupported } from '../protocol/status.ts';
import { assertStillReal } from '../protocol/swap-check.ts';
import { contentOf } from './content.ts';
import { writeInPlace } from './in-place.ts';
import { isRefused, type NewFile, openPart } from './open.ts';
import { type SettablePart, takeOver } from './permissions.ts';
import { decidePlacement, type Placement, permissionsOf } from './placement.ts';
import { writeNew } from './write-new.ts';

interface PlaceRequest {
  readonly path: string;
  readonly target: string;
  readonly overwrite: boolean;
}

/** What placing did to the target. */
interface Outcome {
  readonly in_place: boolean;
  readonly is_mode_kept: boolean;
}

export async function placePart(channel: SftpChannel, request: PlaceRequest): Promise<void> {
  if (request.path === request.target) return; // written under its own name
  const placement = await decidePlacement(channel, request);
  const is_kept = placement.kind !== 'replace' || (await copyPermissions(channel, request.path, placement));
  await finish(channel, request, { placement, is_kept });
}

interface Decided {
  readonly placement: Placement;
  /** False if the part could not be given the owner and mode of the file that it replaces. */
  readonly is_kept: boolean;
  /** Mode of a new file, if it is not the usual one. */
  readonly mode?: number | undefined;
}

/** The part is complete and closed. */
export async function finish(
  channel: SftpChannel,
  request: PlaceRequest,
  { placement, is_kept, mode }: Decided,
): Promise<Outcome> {
  if (placement.kind === 'in_place' || !is_kept) return pour(channel, request);
  try {
    await movePart(channel, request);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return withoutRename(channel, request, { placement, mode, error });
  }
  const is_mode_kept = placement.kind === 'create' || placement.mode === permissionsOf(placement.replaced);
  return { in_place: false, is_mode_kept };
}

/** Writes the content of the part to the target itself, and removes the part. */
async function pour(channel: SftpChannel, { path, target }: PlaceRequest): Promise<Outcome> {
  const { is_mode_kept } = await writeInPlace(channel, target, contentOf(path));
  await channel.unlink(path).catch(() => {}); // the content is in place
  return { in_place: true, is_mode_kept };
}

interface Refused {
  readonly placement: Placement;
  readonly mode: number | undefined;
  readonly error: unknown;
}

/** The host permits no renaming, at all or here. */
async function withoutRename(
  channel: SftpChannel,
  request: PlaceRequest,
  { placement, mode, error }: Refused,
): Promise<Outcome> {
  const { path, target } = request;
  try {
    if (placement.kind !== 'create') return await pour(channel, request);
    const as: NewFile = { is_private: false, mode };
    await writeNew(channel, target, { as, content: contentOf(path) });
  } catch (cause) {
    if (!isRefusal(cause)) throw cause;
    throw new Fault('permission_denied', NO_RENAME, { cause: error });
  }
  await rememberRefusal(channel, { rename: true });
  await channel.unlink(path).catch(() => {}); // the content is in place
  return { in_place: false, is_mode_kept: true };
}

/** Renames the part. */
async function movePart(channel: SftpChannel, request: PlaceRequest): Promise<void> {
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

type Replacement = Extract<Placement, { kind: 'replace' }>;

async function copyPermissions(
  channel: SftpChannel,
  path: string,
  { replaced: { uid, gid }, mode }: Replacement,
): Promise<boolean> {
  const { handle, stats } = await openAgain(channel, path);
  try {
    return await takeOver(channel, { path, handle, stats }, { uid, gid, mode });
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
