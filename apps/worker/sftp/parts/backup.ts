import { Fault } from '#core/errors.ts';
import { joinPath, parentOf } from '#core/lib/paths/posix-path.ts';
import { oldCopyName } from '#core/policy/old-copy.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isRefusal, refusalsOf } from '../protocol/refusals.ts';
import type { Handle } from '../protocol/requests.ts';
import { type Content, contentIn, contentOf } from './content.ts';
import { copyContent, cutAt, readBytes, syncFile } from './copy-content.ts';
import { isRefused, openNewPart } from './open.ts';
import { explainRefusal } from './write.ts';

const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** A copy of a file's content while the file is written in place. */
export interface Backup {
  /** Its path on the host; undefined when it is held in memory. */
  readonly path: string | undefined;
  readonly content: Content;
  remove(): Promise<void>;
}

/**
 * Beside the file, else in the login directory, else in memory: the directory may not be writable, and a host that permits
 * no deleting would keep the copy. Undefined where the host refuses to read the file, or keeps copies and it is large.
 */
export async function backUp(
  channel: SftpChannel,
  target: string,
  handle: Handle,
): Promise<Backup | undefined> {
  const { remove: keeps_copies } = await refusalsOf(channel, parentOf(target));
  const directories = keeps_copies ? [] : await placesFor(channel, target);
  for (const directory of directories) {
    const path = joinPath(directory, await oldCopyName(target));
    const copy = await openNewPart(channel, path, { is_private: true }).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
    });
    if (copy) return fillCopy(channel, { path, copy, handle });
  }
  return hold(channel, handle, keeps_copies);
}

async function placesFor(channel: SftpChannel, target: string): Promise<string[]> {
  const beside = parentOf(target);
  return channel.is_confined ? [beside] : [beside, await channel.realpath('.')];
}

interface Copying {
  readonly path: string;
  readonly copy: Handle;
  /** The file to copy. */
  readonly handle: Handle;
}

async function fillCopy(channel: SftpChannel, { path, copy, handle }: Copying): Promise<Backup | undefined> {
  try {
    const size = await copyContent(channel, handle, copy);
    await cutAt(channel, copy, size);
    await syncFile(channel, copy);
    await channel.close(copy);
    return { path, content: contentOf(path), remove: () => channel.unlink(path) };
  } catch (error) {
    await channel.close(copy).catch(ignore); // it may have been closed already
    await channel.unlink(path).catch(ignore); // the first error is the one to report
    if (isRefusal(error)) return undefined; // an open file that the host does not let be read
    throw await explainRefusal(error, { channel, path: parentOf(path), needed_bytes: 1 });
  }
}

async function hold(
  channel: SftpChannel,
  handle: Handle,
  keeps_copies: boolean,
): Promise<Backup | undefined> {
  const bytes = await readBytes(channel, handle, MAX_HELD_BYTES).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    return 'unreadable' as const;
  });
  if (bytes === 'unreadable' || (!bytes && keeps_copies)) return undefined;
  if (!bytes)
    throw new Fault('permission_denied', 'The host has no place for a safe copy of the old content');
  return { path: undefined, content: contentIn(bytes), remove: async () => {} };
}

const ignore = () => {};
