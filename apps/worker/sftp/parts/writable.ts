import { Fault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { failsAsReadOnly } from '../protocol/failures.ts';
import { openToWrite } from './open.ts';

/**
 * SFTP has no question about rights: only an attempt to open the file tells. It changes neither content nor times. True where
 * it fails for another reason, which the save will name.
 */
export async function mayWrite(channel: SftpChannel, path: string): Promise<boolean> {
  try {
    const { handle } = await openToWrite(channel, path);
    await channel.close(handle);
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code !== 'permission_denied' && !(await failsAsReadOnly(channel, path, error));
  }
}
