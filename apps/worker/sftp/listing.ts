import type { FileEntryWithStats } from 'ssh2';
import { Fault } from '#core/errors.ts';
import { joinPath, nameOf } from '#core/lib/posix-path.ts';
import type { DirectoryEntry } from '#core/model/directory-entry.ts';
import { isoTime, kindOf, longPermissions, type RemoteAttributes } from './attributes.ts';
import { forEachBounded } from './bounded.ts';
import type { Handle, SftpChannel } from './channel.ts';
import { assertStillReal } from './same-place.ts';

// sshd answers READDIR with a hundred entries: asked one by one, a large directory costs a round trip for each hundred.
const MAX_READDIRS = 16;
const MAX_LOOKUPS = 32;
// A host may go on forever; ten times the largest directory that a listing is meant for.
const MAX_ENTRIES = 1_000_000;
const MAX_NAMES_LENGTH = 64 * 1024 * 1024; // characters, all names together

/** An entry as the server told it, without its `ls -l` line, which is as long again. */
type Listed = Pick<FileEntryWithStats, 'filename' | 'attrs'>;

export async function listDirectory(channel: SftpChannel, path: string): Promise<DirectoryEntry[]> {
  const handle = await openDirectory(channel, path);
  const [found] = await Promise.all([readEntries(channel, handle), assertStillReal(channel, path)]);
  const entries = found.map(({ filename, attrs }) => toEntry(path, filename, attrs));
  await followLinks(channel, entries);
  await checkNames(channel, entries, found);
  return entries;
}

export async function describeEntry(channel: SftpChannel, path: string): Promise<DirectoryEntry> {
  const attributes = await channel.lstat(path);
  const entry = { ...toEntry('', nameOf(path) || '/', attributes), path };
  await followLinks(channel, [entry]);
  return entry;
}

async function openDirectory(channel: SftpChannel, path: string): Promise<Handle> {
  try {
    return await channel.opendir(path);
  } catch (error) {
    const attributes = await channel.stat(path).catch(() => undefined);
    if (attributes && kindOf(attributes) !== 'directory') {
      throw new Fault('not_a_directory', undefined, { cause: error });
    }
    throw error;
  }
}

/** Asks for more at a time the larger the directory turns out to be. */
async function readEntries(channel: SftpChannel, handle: Handle): Promise<Listed[]> {
  const found = createCappedList();
  try {
    for (let asked = 1; ; asked = Math.min(asked * 2, MAX_READDIRS)) {
      const answers = await Promise.all(Array.from({ length: asked }, () => channel.readdir(handle)));
      for (const batch of answers) found.add(batch ?? []);
      if (answers.includes(undefined)) return found.entries;
    }
  } finally {
    await channel.close(handle);
  }
}

function createCappedList() {
  const entries: Listed[] = [];
  let answers = 0;
  let names_length = 0;
  return {
    entries,
    add(batch: readonly Listed[]): void {
      answers += 1;
      for (const { filename, attrs } of batch) {
        names_length += filename.length;
        entries.push({ filename, attrs });
      }
      // An answer may also be empty, and those never end either.
      if (Math.max(entries.length, answers) > MAX_ENTRIES || names_length > MAX_NAMES_LENGTH) {
        throw new Fault('sftp_failed', 'The directory has too many entries to be listed');
      }
    },
  };
}

function toEntry(directory: string, name: string, attributes: RemoteAttributes): DirectoryEntry {
  const { mode = 0, size = 0, uid, gid, mtime = 0 } = attributes;
  const kind = kindOf(attributes);
  return {
    name,
    path: joinPath(directory, name),
    is_dir: kind === 'directory',
    is_symlink: kind === 'symlink',
    link_target: null,
    size,
    permissions: longPermissions(mode),
    owner: uid === undefined ? '' : String(uid),
    group: gid === undefined ? '' : String(gid),
    modified: isoTime(mtime),
    addressable: true,
  };
}

/** Fills in where links lead; a dangling one keeps `is_dir: false`. */
function followLinks(channel: SftpChannel, entries: readonly DirectoryEntry[]): Promise<void> {
  const links = entries.filter(({ is_symlink }) => is_symlink);
  return forEachBounded(links, MAX_LOOKUPS, async (entry) => {
    const [target, attributes] = await Promise.allSettled([
      channel.readlink(entry.path),
      channel.stat(entry.path),
    ]);
    if (channel.ended()) throw channel.ended();
    if (target.status === 'fulfilled') entry.link_target = target.value;
    if (attributes.status === 'fulfilled') entry.is_dir = kindOf(attributes.value) === 'directory';
  });
}

const REPLACEMENT = '\ufffd';

/**
 * ssh2 hands out names as text, with U+FFFD for bytes that are no UTF-8; a name may also hold that character itself.
 * Only a name that is really spelled so can be looked up again, and of several that read alike only one can be it.
 */
async function checkNames(
  channel: SftpChannel,
  entries: DirectoryEntry[],
  found: readonly Listed[],
): Promise<void> {
  const suspects = new Map<string, number[]>();
  for (const [index, { name, path }] of entries.entries()) {
    if (name.includes(REPLACEMENT)) suspects.set(path, [...(suspects.get(path) ?? []), index]);
  }
  await forEachBounded([...suspects], MAX_LOOKUPS, async ([path, indexes]) => {
    const real = await channel.lstat(path).catch(() => undefined);
    if (channel.ended()) throw channel.ended();
    const literal = real && indexes.find((index) => isSame(found[index]?.attrs, real));
    for (const index of indexes) {
      const entry = entries[index];
      if (entry) entry.addressable = index === literal;
    }
  });
}

function isSame(listed: RemoteAttributes | undefined, real: RemoteAttributes): boolean {
  const keys = ['mode', 'size', 'uid', 'gid', 'mtime'] as const;
  return keys.every((key) => listed?.[key] === real[key]);
}
