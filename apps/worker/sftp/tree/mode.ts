import { Fault } from '#core/errors.ts';
import { kindOf } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
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

/** Of a real path; links in it are left alone. */
export async function changeTreeMode(channel: SftpChannel, change: ModeChange): Promise<void> {
  const { path, mode, recursive, signal } = change;
  const [attributes] = await Promise.all([channel.lstat(path), assertStillReal(channel, path)]);
  signal.throwIfAborted();
  const set = createModeSetter(channel, mode);
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
  // What one may not enter any more must come after what is in it; what one may not enter yet, before.
  const visitor = removes_access ? { leaf, leave: after } : { leaf, enter: set };
  await visitTree(channel, path, { signal, visitor });
}

/** Never through a link, not even one that has been put there a moment ago where the host can tell. */
function createModeSetter(channel: SftpChannel, mode: number): (path: string) => Promise<void> {
  let offered = true;
  return async (path) => {
    if (offered) {
      try {
        return await channel.lsetstat(path, { mode });
      } catch (error) {
        offered = !isUnsupported(error);
        // Without /proc, as in a bare chroot, sshd cannot change a mode without following.
        if (offered && !isUnexplained(error)) throw error;
      }
    }
    const kind = kindOf(await channel.lstat(path));
    if (kind === 'symlink') throw new Fault('path_outside_allowed', 'The path has become a link meanwhile');
    // It follows: what it has followed, the look behind it tells.
    await Promise.all([channel.setstat(path, { mode }), assertStillReal(channel, path)]);
  };
}
