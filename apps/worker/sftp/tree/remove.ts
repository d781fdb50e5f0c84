import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/posix-path.ts';
import { kindOf } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isTooLong } from '../protocol/failures.ts';
import { isUnexplained } from '../protocol/status.ts';
import { actInVerified, assertStillReal } from '../protocol/swap-check.ts';
import { visitTree } from './visit.ts';

const MAX_ROUNDS = 3;

/** The link itself if it is one; a directory with all that is in it, from below. */
export async function removeTree(channel: SftpChannel, path: string, signal: AbortSignal): Promise<void> {
  const [attributes] = await Promise.all([channel.lstat(path), assertStillReal(channel, parentOf(path))]);
  signal.throwIfAborted();
  if (kindOf(attributes) !== 'directory') {
    return actInVerified(channel, [parentOf(path)], { act: () => channel.unlink(path) });
  }
  await visitTree(channel, path, { signal, visitor: createRemover(channel) });
}

function createRemover(channel: SftpChannel) {
  const rounds = new Map<string, number>();
  return {
    leaf: ({ path }: { path: string }) => channel.unlink(path),
    async leave(path: string): Promise<'again' | 'done'> {
      await assertStillReal(channel, path); // its entries took their time
      try {
        await channel.rmdir(path);
        return 'done';
      } catch (error) {
        const round = (rounds.get(path) ?? 0) + 1;
        rounds.set(path, round);
        // Not empty: something has been put there meanwhile, or the host passed over entries while others vanished.
        if (isUnexplained(error) && round < MAX_ROUNDS) return 'again';
        if (isUnexplained(error)) throw notEmpty(path, error);
        throw error;
      }
    },
  };
}

function notEmpty(path: string, cause: Fault): Fault {
  // sshd does not even list what lies deeper than a path can tell.
  if (isTooLong(`${path}/${'x'.repeat(255)}`)) return new Fault('name_too_long', undefined, { cause });
  return new Fault('sftp_failed', 'The directory cannot be removed, or is being filled meanwhile', { cause });
}
