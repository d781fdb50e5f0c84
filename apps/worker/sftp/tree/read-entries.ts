import { Fault } from '#core/errors.ts';
import { createGiveWay } from '#core/lib/concurrency/give-way.ts';
import { joinPath } from '#core/lib/paths/posix-path.ts';
import { kindOf, type RemoteAttributes } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { pathBytes } from '../protocol/encode.ts';
import { type Listed, readDirectory } from '../protocol/read-directory.ts';
import { MAX_PATH_BYTES } from '../protocol/wire.ts';

// A batch repeats the path of its directory in every entry: tens of thousands of short names would take gigabytes.
const BATCH_ENTRIES = 1000;
const BATCH_LENGTH = 256 * 1024; // characters of all paths together

/** One entry of a directory with its path and attributes. */
export interface TreeEntry {
  readonly name: string;
  readonly path: string;
  readonly attributes: RemoteAttributes;
  readonly is_directory: boolean;
  /** False for a name that no directory can hold: a hostile host could redirect the joined path. */
  readonly addressable: boolean;
}

/** The entries of a real directory in batches; stops when the signal aborts. */
export async function* readEntries(
  channel: SftpChannel,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<TreeEntry[]> {
  signal.throwIfAborted();
  if (isTooLong(path)) throw new Fault('name_too_long');
  const giveWay = createGiveWay();
  for await (const batch of readDirectory(channel, path)) {
    signal.throwIfAborted();
    for (let at = 0; at < batch.length; ) {
      const entries = entriesFrom(path, batch, at);
      at += entries.length;
      yield entries;
      signal.throwIfAborted();
      await giveWay();
    }
  }
}

function entriesFrom(directory: string, batch: readonly Listed[], from: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  let length = 0;
  for (let at = from; at < batch.length && entries.length < BATCH_ENTRIES && length < BATCH_LENGTH; at += 1) {
    const entry = toTreeEntry(directory, batch[at] as Listed); // `at` is within the batch
    entries.push(entry);
    length += entry.path.length;
  }
  return entries;
}

function toTreeEntry(directory: string, listed: Listed): TreeEntry {
  const { filename, attrs } = listed;
  const path = joinPath(directory, filename);
  return {
    name: filename,
    path,
    attributes: attrs,
    is_directory: kindOf(attrs) === 'directory',
    addressable: isAddressable(listed, path),
  };
}

const INVALID_NAME = /^\.{0,2}$|[/\0]/;

export function isAddressable(
  { filename, is_whole }: Pick<Listed, 'filename' | 'is_whole'>,
  path: string,
): boolean {
  return is_whole && !INVALID_NAME.test(filename) && !isTooLong(path);
}

const LONGEST_CHARACTER_BYTES = 3; // of one code unit, in UTF-8

function isTooLong(path: string): boolean {
  return path.length * LONGEST_CHARACTER_BYTES > MAX_PATH_BYTES && pathBytes(path).length > MAX_PATH_BYTES;
}
