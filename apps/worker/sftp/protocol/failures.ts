import { Fault } from '#core/errors.ts';
import { codeOf } from '../../ssh/faults.ts';
import type { SftpChannel } from './channel.ts';

// Version 3 has no words for most errors: sshd says FAILURE to them, and BAD_MESSAGE to what it holds for a wrong argument.
const FAILURE = 4;
const BAD_MESSAGE = 5;
const MOST_NAME_BYTES = 255;
const MOST_PATH_BYTES = 4095;

/** The server refused without a reason: the functions below find out which it may have been. */
export function isUnexplained(error: unknown): error is Fault {
  if (!(error instanceof Fault) || error.code !== 'sftp_failed') return false;
  const code = codeOf(error.cause);
  return code === FAILURE || code === BAD_MESSAGE;
}

/** There is something at this path, be it a link that leads nowhere. */
export async function isTaken(channel: SftpChannel, path: string): Promise<boolean> {
  return (await channel.lstat(path).catch(() => undefined)) !== undefined;
}

/** Longer than the file systems of Unix take it. */
export function isTooLong(path: string): boolean {
  const names = path.split('/').map((name) => Buffer.byteLength(name));
  return Math.max(...names) > MOST_NAME_BYTES || Buffer.byteLength(path) > MOST_PATH_BYTES;
}

/** There was no room for this much; false as well where the server does not tell. */
export async function isDiskFull(channel: SftpChannel, path: string, wanted_bytes: number): Promise<boolean> {
  const space = await channel.statvfs(path).catch(() => undefined);
  return space !== undefined && (space.free_bytes < wanted_bytes || space.free_files === 0);
}
