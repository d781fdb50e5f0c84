import { Fault } from '#core/errors.ts';
import { joinPath } from '#core/lib/posix-path.ts';
import { kindOf, type RemoteAttributes } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { type Listed, readDirectory } from '../protocol/read-directory.ts';
import { isUnchanged } from '../protocol/swap-check.ts';
import { forEachBounded } from './bounded.ts';

const MAX_PATH_BYTES = 4095; // Linux PATH_MAX, which also bounds a hostile host's endless tree

/** One entry of a directory with its path and attributes. */
export interface TreeEntry {
  readonly name: string;
  readonly path: string;
  readonly attributes: RemoteAttributes;
  readonly is_directory: boolean;
  /** False for a name that is not UTF-8: no request can name it. */
  readonly addressable: boolean;
}

/** The entries of a real directory in batches; stops when the signal aborts. */
export async function* readEntries(
  channel: SftpChannel,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<TreeEntry[]> {
  signal.throwIfAborted();
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new Fault('name_too_long');
  for await (const batch of readDirectory(channel, path)) {
    signal.throwIfAborted();
    const unaddressable = await findUnaddressable(channel, path, batch);
    yield batch.map((listed) => toTreeEntry(path, listed, !unaddressable.has(listed)));
    signal.throwIfAborted();
  }
}

function toTreeEntry(directory: string, { filename, attrs }: Listed, addressable: boolean): TreeEntry {
  return {
    name: filename,
    path: joinPath(directory, filename),
    attributes: attrs,
    is_directory: kindOf(attrs) === 'directory',
    addressable,
  };
}

const REPLACEMENT = '\ufffd';
const INVALID_NAME = /^\.{0,2}$|[/\0]/; // a hostile host could otherwise redirect the joined path
const MAX_LOOKUPS = 32;

/**
 * Names are decoded with U+FFFD for bytes that are not UTF-8, but a name may also contain that character literally.
 * Only the literal name can be looked up again, and of several entries that decode alike at most one is literal.
 */
export async function findUnaddressable(
  channel: SftpChannel,
  directory: string,
  found: readonly Listed[],
): Promise<ReadonlySet<Listed>> {
  const suspects = new Map<string, Listed[]>();
  const unaddressable = new Set<Listed>();
  for (const listed of found) {
    const { filename } = listed;
    if (INVALID_NAME.test(filename)) unaddressable.add(listed);
    else if (filename.includes(REPLACEMENT))
      suspects.set(filename, [...(suspects.get(filename) ?? []), listed]);
  }
  await forEachBounded([...suspects], MAX_LOOKUPS, async ([name, alike]) => {
    const real = await channel.lstat(joinPath(directory, name)).catch(() => undefined);
    const ended = channel.ended();
    if (ended) throw ended;
    const literal = real && alike.find(({ attrs }) => isUnchanged(attrs, real));
    for (const listed of alike) if (listed !== literal) unaddressable.add(listed);
  });
  return unaddressable;
}
