import { Fault } from '../../errors.ts';
import { parentOf } from '../../lib/paths/posix-path.ts';
import type { OldCopy } from '../../model/files/file-history.ts';
import { createOldCopyTest } from '../../policy/old-copy.ts';
import type { FileSession } from '../../ports/files.ts';
import type { Granted } from '../access.ts';
import type { Grow } from '../large-answers.ts';

const UNREADABLE = ['permission_denied', 'path_outside_allowed', 'file_not_found'];

/** Where saves in place put them: beside the file, or in the login directory. */
export async function oldCopiesOf(granted: Granted<'read' | 'write'>, grow: Grow): Promise<OldCopy[]> {
  const { session, real, server } = granted;
  const isCopy = await createOldCopyTest(real.path);
  const is_confined = server.sftp_allowed_paths.length > 0;
  const beside = parentOf(real.path);
  const places = new Set(is_confined ? [beside] : [beside, await session.loginDirectory()]);
  const found = await Promise.all([...places].map((place) => entriesIn(granted, place, grow)));
  return found
    .flat()
    .filter(({ name, is_dir, is_symlink }) => isCopy(name) && !is_dir && !is_symlink)
    .map(({ path, size, modified }) => ({ path, size, modified }));
}

/** Nothing of a directory that the account or the caller may not read. */
async function entriesIn(
  { session, judge }: Granted<'read' | 'write'>,
  directory: string,
  grow: Grow,
): ReturnType<FileSession['list']> {
  try {
    const { path } = await judge({ path: directory });
    return await session.list(path, { grow });
  } catch (error) {
    if (error instanceof Fault && UNREADABLE.includes(error.code)) return [];
    throw error;
  }
}
