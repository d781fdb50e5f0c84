import { Fault } from '#core/errors.ts';
import { createGiveWay } from '#core/lib/give-way.ts';
import { joinPath, nameOf } from '#core/lib/posix-path.ts';
import type { DirectoryEntry } from '#core/model/directory-entry.ts';
import type { AccountNames } from '#core/ports/files.ts';
import { isoTime, kindOf, longPermissions, type RemoteAttributes } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { readDirectory } from '../protocol/read-directory.ts';
import { collectNames } from './account-names.ts';
import { forEachBounded } from './bounded.ts';
import { isAddressable } from './read-entries.ts';

const MAX_LOOKUPS = 32;
// A hostile directory may be endless; this is ten times the largest one that a listing is meant for.
const MAX_ENTRIES = 1_000_000;
const MAX_NAMES_LENGTH = 64 * 1024 * 1024; // characters in all names together

export async function listDirectory(
  channel: SftpChannel,
  path: string,
  names?: AccountNames,
): Promise<DirectoryEntry[]> {
  const entries = await readAll(channel, path, names);
  await followLinks(channel, entries);
  return entries;
}

export async function describeEntry(channel: SftpChannel, path: string): Promise<DirectoryEntry> {
  const entry = { ...toEntry(path, nameOf(path) || '/', await channel.lstat(path)), addressable: true };
  await followLinks(channel, [entry]);
  return entry;
}

async function readAll(channel: SftpChannel, path: string, names?: AccountNames): Promise<DirectoryEntry[]> {
  const found: DirectoryEntry[] = [];
  const giveWay = createGiveWay();
  let names_length = 0;
  for await (const batch of readDirectory(channel, path)) {
    for (const listed of batch) {
      const { filename, attrs } = listed;
      names_length += filename.length;
      if (names) collectNames(names, listed);
      found.push(toEntry(joinPath(path, filename), filename, attrs));
      const turn = giveWay(); // an await for each entry would cost more than the entry
      if (turn !== undefined) await turn;
    }
    if (found.length > MAX_ENTRIES || names_length > MAX_NAMES_LENGTH) {
      throw new Fault('sftp_failed', 'The directory has too many entries to list');
    }
  }
  return found;
}

export function toEntry(path: string, name: string, attributes: RemoteAttributes): DirectoryEntry {
  const { mode = 0, size = 0, uid, gid, mtime = 0 } = attributes;
  const kind = kindOf(attributes);
  return {
    name,
    path,
    is_dir: kind === 'directory',
    is_symlink: kind === 'symlink',
    link_target: null,
    size,
    permissions: longPermissions(mode),
    owner: uid === undefined ? '' : String(uid),
    group: gid === undefined ? '' : String(gid),
    modified: isoTime(mtime),
    addressable: isAddressable(name),
  };
}

/** Fills in link targets; a dangling link keeps `is_dir: false`. */
export function followLinks(
  channel: SftpChannel,
  entries: readonly DirectoryEntry[],
  signal?: AbortSignal,
): Promise<void> {
  const links = entries.filter(({ is_symlink }) => is_symlink);
  return forEachBounded(links, MAX_LOOKUPS, async (entry) => {
    signal?.throwIfAborted();
    const [target, attributes] = await Promise.allSettled([
      channel.readlink(entry.path),
      channel.stat(entry.path),
    ]);
    if (channel.ended()) throw channel.ended();
    if (target.status === 'fulfilled') entry.link_target = target.value;
    if (attributes.status === 'fulfilled') entry.is_dir = kindOf(attributes.value) === 'directory';
  });
}
