import { Fault } from '#core/errors.ts';
import { codeOf } from '#core/lib/errors/error-code.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import type { Stats } from './attributes.ts';
import type { SftpChannel } from './channel.ts';
import { pathBytes } from './encode.ts';
import { isRefusal, refusalsOf, refusesWrites } from './refusals.ts';

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;
const FAILURE = 4; // SSH_FX_FAILURE

/** Undefined when nothing is there; of a link, the link itself. */
export async function lstatIfExists(channel: SftpChannel, path: string): Promise<Stats | undefined> {
  try {
    return await channel.lstat(path);
  } catch (error) {
    if (error instanceof Fault && error.code === 'file_not_found') return undefined;
    throw error;
  }
}

/** Something exists at this path, even if it is a dangling link. */
export async function isTaken(channel: SftpChannel, path: string): Promise<boolean> {
  return (await channel.lstat(path).catch(() => undefined)) !== undefined;
}

/** Longer than Unix file systems accept. */
export function isTooLong(path: string): boolean {
  const bytes = Buffer.from(pathBytes(path));
  const names = bytes.toString('latin1').split('/');
  return bytes.length > MAX_PATH_BYTES || names.some(({ length }) => length > MAX_NAME_BYTES);
}

/** The disk has no room for this much; false if the server does not report it. */
export async function isDiskFull(channel: SftpChannel, path: string, wanted_bytes: number): Promise<boolean> {
  const space = await channel.statvfs(path).catch(() => undefined);
  if (!space || space.is_read_only) return false; // a read-only one has no free blocks either
  return space.free_bytes < wanted_bytes || space.free_files === 0;
}

/** False if the server does not report it; of a path that does not exist, its directory counts. */
async function isReadOnly(channel: SftpChannel, path: string): Promise<boolean> {
  for (const one of [path, parentOf(path)]) {
    const space = await channel.statvfs(one).catch(() => undefined);
    if (space) return space.is_read_only === true;
  }
  return false;
}

/** Replaces a refusal to change something by what is known about the host. */
export async function explainingChange<T>(
  channel: SftpChannel,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await explainChange(channel, path, error);
  }
}

/** A change failed because the file system is mounted read-only. */
export async function failsAsReadOnly(channel: SftpChannel, path: string, error: unknown): Promise<boolean> {
  return hasFailed(error) && (await isReadOnly(channel, path));
}

async function explainChange(channel: SftpChannel, path: string, error: unknown): Promise<unknown> {
  if (await failsAsReadOnly(channel, path, error)) {
    return new Fault('remote_read_only', undefined, { cause: error });
  }
  if (!(error instanceof Fault) || error.code !== 'permission_denied') return error;
  const refusals = await refusalsOf(channel, parentOf(path)).catch(() => undefined);
  return refusals && refusesWrites(refusals) ? refused('The host refuses to write', error) : error;
}

/** Names the request where the host refuses all of its kind. */
export async function explainRefused(
  channel: SftpChannel,
  { path, kind }: { readonly path: string; readonly kind: 'rename' | 'remove' },
  error: unknown,
): Promise<unknown> {
  if (!isRefusal(error)) return error;
  const refusals = await refusalsOf(channel, parentOf(path)).catch(() => undefined);
  if (!refusals?.[kind] || refusesWrites(refusals)) return error;
  return refused(kind === 'rename' ? NO_RENAME : NO_REMOVE, error);
}

export const NO_RENAME = 'The host permits no renaming';
export const NO_REMOVE = 'The host permits no deleting';

function refused(detail: string, cause: unknown): Fault {
  return new Fault('permission_denied', detail, { cause });
}

/** A status of FAILURE, also behind a text that says what could not be done. */
function hasFailed(error: unknown): boolean {
  if (!(error instanceof Fault) || error.code !== 'sftp_failed') return false;
  return codeOf(error.cause) === FAILURE || hasFailed(error.cause);
}
