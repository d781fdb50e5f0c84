import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import { kindOf } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { explainRefused, isTooLong } from '../protocol/failures.ts';
import { isUnexplained } from '../protocol/status.ts';
import { actInVerified, assertStillReal } from '../protocol/swap-check.ts';
import { visitTree } from './visit.ts';

const MAX_ROUNDS = 3;

/**
 * Removes a link itself, and a directory with its contents, deepest first. The whole tree is read before: nothing is
 * removed if an entry cannot be addressed or a directory cannot be read.
 */
export async function removeTree(channel: SftpChannel, path: string, signal: AbortSignal): Promise<void> {
  try {
    await removeAll(channel, path, signal);
  } catch (error) {
    throw await explainRefused(channel, { path, kind: 'remove' }, error);
  }
}

async function removeAll(channel: SftpChannel, path: string, signal: AbortSignal): Promise<void> {
  const [attributes] = await Promise.all([channel.lstat(path), assertStillReal(channel, parentOf(path))]);
  signal.throwIfAborted();
  if (kindOf(attributes) !== 'directory') {
    return actInVerified(channel, [parentOf(path)], { act: () => channel.unlink(path) });
  }
  await visitTree(channel, path, { signal, visitor: {} });
  await visitTree(channel, path, { signal, visitor: createRemover(channel) });
}

function createRemover(channel: SftpChannel) {
  const rounds = new Map<string, number>();
  return {
    leaf: ({ path }: { path: string }) => channel.unlink(path),
    async leave(path: string): Promise<'again' | 'done'> {
      await assertStillReal(channel, path); // removing its entries took a while
      try {
        await channel.rmdir(path);
        rounds.delete(path);
        return 'done';
      } catch (error) {
        const round = (rounds.get(path) ?? 0) + 1;
        rounds.delete(path);
        // Not empty: something was added, or the host skipped entries while others disappeared.
        if (isUnexplained(error) && round < MAX_ROUNDS) {
          rounds.set(path, round);
          return 'again';
        }
        if (isUnexplained(error)) throw notEmpty(path, error);
        throw error;
      }
    },
  };
}

function notEmpty(path: string, cause: Fault): Fault {
  // sshd does not list entries whose path would be too long.
  if (isTooLong(`${path}/${'x'.repeat(255)}`)) return new Fault('name_too_long', undefined, { cause });
  return new Fault('sftp_failed', 'The directory cannot be removed, or files are still being added to it', {
    cause,
  });
}
