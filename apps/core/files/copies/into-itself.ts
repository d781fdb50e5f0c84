import { Fault } from '../../errors.ts';
import { randomToken } from '../../lib/bytes/bytes.ts';
import { isInside, joinPath, parentOf } from '../../lib/paths/posix-path.ts';
import type { CopySource, CopyTarget } from './ends.ts';

/** Copying a directory into itself would never end. Two server records may be the same host. */
export async function assertNotIntoItself(
  from: CopySource,
  to: CopyTarget,
  target_path: string,
): Promise<void> {
  if (!isInside(target_path, from.real.source_path)) return;
  if (from.server.id === to.server.id || (await isSameHost(from, to, parentOf(target_path)))) {
    throw new Fault('into_itself');
  }
}

/** Creates a file through one server and looks for it through the other. */
async function isSameHost(from: CopySource, to: CopyTarget, directory: string): Promise<boolean> {
  const probe = joinPath(directory, `.sallyport-${randomToken(9)}.part`);
  if ((await to.session.refusals(probe)).remove) return from.server.hostname === to.server.hostname;
  await to.session.createPart(probe, { is_private: true });
  try {
    return (await from.session.statOf(probe)) !== undefined;
  } finally {
    await to.session.removePart(probe);
  }
}
