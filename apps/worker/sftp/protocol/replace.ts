import { Fault, toFault } from '#core/errors.ts';
import { joinPath, parentOf } from '#core/lib/paths/posix-path.ts';
import { oldCopyName } from '#core/policy/old-copy.ts';
import type { SftpChannel } from './channel.ts';

/**
 * For hosts that cannot rename over an existing file: the old content is renamed to a backup, and restored if the
 * replacement fails. If the connection is lost in between, the backup remains as `.sallyport-….old`.
 */
export async function replaceViaBackup(channel: SftpChannel, from: string, to: string): Promise<void> {
  const backup = joinPath(parentOf(to), await oldCopyName(to));
  await channel.rename(to, backup);
  try {
    await channel.rename(from, to);
  } catch (error) {
    await channel.rename(backup, to).catch(() => {
      throw leftAside(error, backup);
    });
    throw error;
  }
  await channel.unlink(backup).catch(() => {}); // the replacement itself succeeded
}

/** The first error, and where the old content is now. */
function leftAside(error: unknown, backup: string): Fault {
  const { code, detail, options } = toFault(error);
  const message = `${detail}. The old content could not be put back: it is in ${backup}`;
  return new Fault(code, message, { ...options, cause: error });
}
