import { Fault } from '#core/errors.ts';
import { joinPath } from '#core/lib/posix-path.ts';
import { kindOf, type RemoteAttributes } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { pathBytes } from '../protocol/encode.ts';
import { type Listed, readDirectory } from '../protocol/read-directory.ts';

const MAX_PATH_BYTES = 4095; // Linux PATH_MAX, which also bounds a hostile host's endless tree

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
  if (pathBytes(path).length > MAX_PATH_BYTES) throw new Fault('name_too_long');
  for await (const batch of readDirectory(channel, path)) {
    signal.throwIfAborted();
    yield batch.map((listed) => toTreeEntry(path, listed));
    signal.throwIfAborted();
  }
}

function toTreeEntry(directory: string, { filename, attrs }: Listed): TreeEntry {
  return {
    name: filename,
    path: joinPath(directory, filename),
    attributes: attrs,
    is_directory: kindOf(attrs) === 'directory',
    addressable: isAddressable(filename),
  };
}

const INVALID_NAME = /^\.{0,2}$|[/\0]/;

export function isAddressable(name: string): boolean {
  return !INVALID_NAME.test(name);
}
