import { Fault } from '#core/errors.ts';
import { joinPath } from '#core/lib/posix-path.ts';
import { kindOf, type RemoteAttributes } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { type Listed, readDirectory } from '../protocol/read-directory.ts';
import { unaddressable } from './unaddressable.ts';

const MOST_PATH_BYTES = 4095; // PATH_MAX of Linux; and an end to what a lying host can tell

/** What a directory holds, ready to be acted on. */
export interface Member {
  readonly name: string;
  readonly path: string;
  readonly attributes: RemoteAttributes;
  readonly is_directory: boolean;
  /** False for a name that is not UTF-8: nothing can be asked about it. */
  readonly addressable: boolean;
}

/** The members of a real directory in batches; stops asking when the signal aborts. */
export async function* readMembers(
  channel: SftpChannel,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Member[]> {
  signal.throwIfAborted();
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) throw new Fault('name_too_long');
  for await (const batch of readDirectory(channel, path)) {
    signal.throwIfAborted();
    const mute = await unaddressable(channel, path, batch);
    yield batch.map((listed) => toMember(path, listed, !mute.has(listed)));
    signal.throwIfAborted();
  }
}

function toMember(directory: string, { filename, attrs }: Listed, addressable: boolean): Member {
  return {
    name: filename,
    path: joinPath(directory, filename),
    attributes: attrs,
    is_directory: kindOf(attrs) === 'directory',
    addressable,
  };
}
