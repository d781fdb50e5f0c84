import type { Fault } from '../errors.ts';
import { pathOf } from '../lib/paths/path-bytes.ts';
import { joinPath, nameOf, parentOf } from '../lib/paths/posix-path.ts';
import type { FileSession } from '../ports/files.ts';
import { isAbsent } from './absent.ts';

const MAX_LINKS = 40; // as many as Linux follows in one path

export interface Resolved {
  readonly path: string;
  readonly missing?: Fault;
  /** How many trailing segments do not exist. */
  readonly depth: number;
}

/** The host's realpath; for a missing path, that of its deepest existing parent plus the rest. */
export async function resolve(session: FileSession, path: string): Promise<Resolved> {
  try {
    return { path: await session.realpath(path), depth: 0 };
  } catch (error) {
    if (!isAbsent(error) || path === '/') throw error;
    const parent = await resolve(session, parentOf(path));
    return {
      path: joinPath(parent.path, nameOf(path)),
      missing: parent.missing ?? error,
      depth: parent.depth + 1,
    };
  }
}

/** Finds where open(2) would create the file: at the end of a dangling link, not in place of the link. */
export async function followDangling(session: FileSession, named: Resolved): Promise<Resolved> {
  let found = named;
  for (let links = 0; found.depth === 1 && found.missing?.code === 'file_not_found'; links += 1) {
    const target = await targetOfLink(session, found.path, found.missing);
    if (target === undefined) return found;
    if (links === MAX_LINKS) throw found.missing;
    found = await resolve(session, target);
  }
  return found;
}

/** Undefined if nothing has this name; `missing` is the refusal for a link that leads nowhere. */
async function targetOfLink(session: FileSession, path: string, missing: Fault): Promise<string | undefined> {
  const entry = await session.entry(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (!entry?.is_symlink) return undefined;
  const names = entry.link_target ?? '';
  const name = names.slice(names.lastIndexOf('/') + 1);
  if (['', '.', '..'].includes(name)) throw missing;
  return names.startsWith('/') ? pathOf(names) : joinPath(parentOf(path), names);
}
