import { Fault } from '../errors.ts';
import { namesOf } from '../lib/paths/path-bytes.ts';
import { joinPath, normalizePath, parentOf } from '../lib/paths/posix-path.ts';
import type { FileSession } from '../ports/files.ts';
import { isAbsent } from './absent.ts';

const MAX_LINKS = 40; // as many as Linux follows in one path
const MAX_LENGTH = 1024 * 1024; // characters in all entries; links of a hostile host lead through thousands of names

/** Every name on the way to a directory, through links as well. A change to one of them changes where the path leads. */
export async function entriesOnTheWay(
  session: FileSession,
  directory: string,
  real_path: string,
): Promise<string[]> {
  const path = normalizePath(directory);
  if (path === real_path) return path === '/' ? [] : [path]; // no links; its ancestors contain it
  const entries = [path, real_path];
  let [links, length] = [0, 0];
  let at = '/';
  const ahead = namesOf(path).split('/');
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = parentOf(at);
      continue;
    }
    const entry = joinPath(at, name);
    entries.push(entry);
    length += entry.length;
    if (length > MAX_LENGTH) throw new Fault('sftp_failed', 'The links to an allowed directory are too long');
    const target = await linkTargetOf(session, entry);
    if (target === 'absent' || links > MAX_LINKS) {
      entries.push(normalizePath(joinPath(entry, ahead.join('/'))));
      break;
    }
    if (target === undefined) {
      at = entry;
      continue;
    }
    links += 1;
    if (target.startsWith('/')) at = '/';
    ahead.unshift(...target.split('/'));
  }
  return entries.filter((entry) => entry !== '/');
}

/** Undefined for what is not a link. */
async function linkTargetOf(session: FileSession, path: string): Promise<string | undefined | 'absent'> {
  try {
    const { is_symlink, link_target } = await session.entry(path);
    return is_symlink ? (link_target ?? 'absent') : undefined;
  } catch (error) {
    if (isAbsent(error)) return 'absent';
    throw error;
  }
}
