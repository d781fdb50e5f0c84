import { Fault } from '#core/errors.ts';
import { kindOf } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Settable } from '../protocol/encode.ts';
import { isUnexplained, isUnsupported } from '../protocol/status.ts';
import { actInVerified, assertStillReal } from '../protocol/swap-check.ts';
import { visitTree } from './visit.ts';

const OWNER_READS_AND_ENTERS = 0o500;

interface ModeChange {
  readonly path: string;
  readonly mode: number;
  readonly recursive: boolean;
  readonly signal: AbortSignal;
}

/** Changes the mode of a real path; links below it are left alone. */
export async function changeTreeMode(channel: SftpChannel, change: ModeChange): Promise<void> {
  const { path, mode, recursive, signal } = change;
  const [attributes] = await Promise.all([channel.lstat(path), assertStillReal(channel, path)]);
  signal.throwIfAborted();
  const set = createSetter(channel, { mode });
  if (!recursive || kindOf(attributes) !== 'directory') {
    return actInVerified(channel, [path], { act: () => set(path) });
  }
  const leaf = async (member: { path: string; attributes: { mode?: number } }) => {
    if (kindOf(member.attributes) !== 'symlink') await set(member.path);
  };
  const removes_access = (mode & OWNER_READS_AND_ENTERS) !== OWNER_READS_AND_ENTERS;
  const after = async (directory: string) => {
    await set(directory);
    return 'done' as const;
  };
  // A mode that removes access must be set after the contents; one that grants it, before.
  const visitor = removes_access ? { leaf, leave: after } : { leaf, enter: set };
  await visitTree(channel, path, { signal, visitor });
}

/** Takes a real path. */
export function changeAttributes(channel: SftpChannel, path: string, wanted: Settable): Promise<void> {
  return actInVerified(channel, [path], { act: () => createSetter(channel, wanted)(path) });
}

/** Never follows a link, not even one swapped in a moment ago, if the host supports lsetstat. */
function createSetter(channel: SftpChannel, wanted: Settable): (path: string) => Promise<void> {
  let offered = true;
  return async (path) => {
    if (offered) {
      try {
        return await channel.lsetstat(path, wanted);
      } catch (error) {
        offered = !isUnsupported(error);
        // Without /proc, as in a bare chroot, sshd cannot change a mode without following links.
        if (offered && !isUnexplained(error)) throw error;
      }
    }
    const kind = kindOf(await channel.lstat(path));
    if (kind === 'symlink') throw new Fault('path_outside_allowed', 'The path has been replaced by a link');
    // setstat follows links; the check behind it detects a swap.
    await Promise.all([channel.setstat(path, wanted), assertStillReal(channel, path)]);
  };
}
