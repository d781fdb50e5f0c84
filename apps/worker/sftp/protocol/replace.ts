import { randomBytes } from 'node:crypto';
import { joinPath, parentOf } from '#core/lib/posix-path.ts';
import type { SftpChannel } from './channel.ts';

/**
 * For hosts that cannot rename over something: the old content steps aside until the new one is in its place, and comes
 * back when that fails. If the host is lost in between, it is there under a name that begins with `.sallyport-`.
 */
export async function replaceViaBackup(channel: SftpChannel, from: string, to: string): Promise<void> {
  const backup = joinPath(parentOf(to), `.sallyport-${randomBytes(9).toString('base64url')}.old`);
  await channel.rename(to, backup);
  try {
    await channel.rename(from, to);
  } catch (error) {
    await channel.rename(backup, to).catch(() => {}); // why it came to that is what is told
    throw error;
  }
  await channel.unlink(backup).catch(() => {}); // the new content is in its place
}
