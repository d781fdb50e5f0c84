import { Fault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { explainingChange } from '../protocol/failures.ts';
import type { Handle } from '../protocol/requests.ts';

const REFUSALS: readonly string[] = ['permission_denied', 'remote_read_only'];

/**
 * SFTP has no question about rights: only an attempt to open the file tells. It changes neither content nor times. True where
 * it fails for another reason, which the save will name.
 */
export async function mayWrite(channel: SftpChannel, path: string): Promise<boolean> {
  try {
    await channel.close(await explainingChange(channel, path, () => openForWriting(channel, path)));
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return !REFUSALS.includes(error.code);
  }
}

/** Some files may be written, but not read. */
export async function openForWriting(channel: SftpChannel, path: string): Promise<Handle> {
  try {
    return await channel.open(path, 'r+');
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'permission_denied') throw error;
    return channel.open(path, 'w').catch(() => {
      throw error;
    });
  }
}
