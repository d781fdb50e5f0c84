import { Fault } from '#core/errors.ts';
import type { Stats } from './attributes.ts';
import type { SftpChannel } from './channel.ts';
import { pathBytes } from './encode.ts';

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;

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
  return space !== undefined && (space.free_bytes < wanted_bytes || space.free_files === 0);
}
