import { Fault } from '../../errors.ts';
import { parentOf } from '../../lib/paths/posix-path.ts';
import type { DirectoryEntry } from '../../model/files/directory-entry.ts';
import type { OldCopy } from '../../model/files/old-copy.ts';
import { createOldCopyTest } from '../../policy/old-copy.ts';
import type { Granted } from '../access.ts';
import type { Grow } from '../large-answers.ts';

const PRIVATE_FILE = '-rw-------';
const UNREADABLE = ['permission_denied', 'path_outside_allowed', 'file_not_found'];

/** Where saves in place put them: beside the file, or in the login directory. */
export async function oldCopiesOf(granted: Granted<'read' | 'write'>, grow: Grow): Promise<OldCopy[]> {
  const { session, real, server } = granted;
  const isCopy = await createOldCopyTest(real.path);
  const is_confined = server.sftp_allowed_paths.length > 0;
  const beside = parentOf(real.path);
  const home = await session.loginDirectory();
  const places = new Set(is_confined ? [beside] : [beside, home]);
  const [account, ...found] = await Promise.all([
    unlessUnreadable(session.entry(home), undefined),
    ...[...places].map((place) => unlessUnreadable(entriesIn(granted, place, grow), [])),
  ]);
  // Anybody can compute the name: what others made, or could have written, is no copy of ours.
  const isOurs = ({ permissions, owner }: DirectoryEntry) =>
    permissions === PRIVATE_FILE && owner === account?.owner;
  return found
    .flat()
    .filter((entry) => isCopy(entry.name) && isOurs(entry))
    .map(({ path, size, modified }) => ({ path, size, modified }));
}

async function entriesIn({ session, judge }: Granted<'read' | 'write'>, directory: string, grow: Grow) {
  const { path } = await judge({ path: directory });
  return session.list(path, { grow });
}

/** Nothing of a directory that the account or the caller may not read. */
async function unlessUnreadable<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Fault && UNREADABLE.includes(error.code)) return otherwise;
    throw error;
  }
}
