import { Fault } from '#core/errors.ts';
import { createGiveWay } from '#core/lib/concurrency/give-way.ts';
import { joinPath, nameOf } from '#core/lib/paths/posix-path.ts';
import type { DirectoryEntry } from '#core/model/files/directory-entry.ts';
import type { ListOptions } from '#core/ports/files.ts';
import { isoTime, kindOf, longPermissions } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { readDirectory } from '../protocol/read-directory.ts';
import { collectNames } from './account-names.ts';
import { forEachBounded } from './bounded.ts';
import { isAddressable, type TreeEntry } from './read-entries.ts';

const MAX_LOOKUPS = 32;
// A hostile directory may be endless; 100,000 usual entries have half of it.
const MAX_LIST_BYTES = 80 * 1024 * 1024;
const ENTRY_BYTES = 400; // in memory, without its name and path

export async function listDirectory(
  channel: SftpChannel,
  path: string,
  { names, grow = async () => {} }: ListOptions = {},
): Promise<DirectoryEntry[]> {
  const size = createListSize();
  const entries: DirectoryEntry[] = [];
  const giveWay = createGiveWay();
  for await (const batch of readDirectory(channel, path)) {
    for (const listed of batch) {
      const { filename, attrs } = listed;
      size.add(ENTRY_BYTES + path.length + 2 * filename.length); // the name is in the path, too
      if (names) collectNames(names, listed);
      const place = { path: joinPath(path, filename), name: filename, attributes: attrs };
      entries.push(toEntry({ ...place, addressable: isAddressable(listed, place.path) }));
      const turn = giveWay(); // an await for each entry would cost more than the entry
      if (turn !== undefined) await turn;
    }
    await grow(size.bytes());
  }
  await followLinks(channel, entries, { onTarget: (target) => size.add(target.length) });
  await grow(size.bytes());
  return entries;
}

function createListSize() {
  let bytes = 0;
  return {
    bytes: () => bytes,
    add(more: number): void {
      bytes += more;
      if (bytes > MAX_LIST_BYTES)
        throw new Fault('sftp_failed', 'The directory has too many entries to list');
    },
  };
}

export async function describeEntry(channel: SftpChannel, path: string): Promise<DirectoryEntry> {
  const attributes = await channel.lstat(path);
  const entry = toEntry({ path, name: nameOf(path) || '/', attributes, addressable: true });
  await followLinks(channel, [entry]);
  return entry;
}

export function toEntry({
  path,
  name,
  attributes,
  addressable,
}: Omit<TreeEntry, 'is_directory'>): DirectoryEntry {
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
    addressable,
  };
}

interface LinkOptions {
  readonly signal?: AbortSignal;
  readonly onTarget?: (target: string) => void;
}

/** Fills in link targets; a dangling link keeps `is_dir: false`. */
export function followLinks(
  channel: SftpChannel,
  entries: readonly DirectoryEntry[],
  { signal, onTarget }: LinkOptions = {},
): Promise<void> {
  const links = entries.filter(({ is_symlink, addressable }) => is_symlink && addressable);
  return forEachBounded(links, MAX_LOOKUPS, async (entry) => {
    signal?.throwIfAborted();
    const [target, attributes] = await Promise.allSettled([
      channel.readlink(entry.path),
      channel.stat(entry.path),
    ]);
    if (channel.ended()) throw channel.ended();
    if (target.status === 'fulfilled') {
      onTarget?.(target.value);
      entry.link_target = target.value;
    }
    if (attributes.status === 'fulfilled') entry.is_dir = kindOf(attributes.value) === 'directory';
  });
}
