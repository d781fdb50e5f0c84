import { randomBytes } from 'node:crypto';
import { Fault } from '#core/errors.ts';
import { joinPath, parentOf } from '#core/lib/posix-path.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { copyContent, cutAt, readBytes, syncFile, writeBytes } from './copy-content.ts';
import { isRefused, openNewPart } from './open.ts';
import { explainRefusal } from './write.ts';

const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** A copy of a file's content while the file is written in place. */
export interface Backup {
  /** Its path on the host; undefined when it is held in memory. */
  readonly path: string | undefined;
  /** Writes the content back. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/** Beside the file, else in the login directory, else in memory: the directory may not be writable. */
export async function backUp(channel: SftpChannel, target: string, handle: Handle): Promise<Backup> {
  const directories = [parentOf(target)];
  if (!channel.is_confined) directories.push(await channel.realpath('.'));
  for (const directory of directories) {
    const path = joinPath(directory, `.sallyport-${randomBytes(9).toString('base64url')}.old`);
    const copy = await openNewPart(channel, path, { is_private: true }).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
    });
    if (copy) return fillCopy(channel, { path, copy, handle });
  }
  return hold(channel, handle);
}

interface Copying {
  readonly path: string;
  readonly copy: Handle;
  /** The file to copy. */
  readonly handle: Handle;
}

async function fillCopy(channel: SftpChannel, { path, copy, handle }: Copying): Promise<Backup> {
  try {
    const size = await copyContent(channel, handle, copy);
    await cutAt(channel, copy, size);
    await syncFile(channel, copy);
    await channel.close(copy);
    return {
      path,
      restore: () => putBack(channel, { path, handle, size }),
      remove: () => channel.unlink(path),
    };
  } catch (error) {
    await channel.close(copy).catch(ignore); // it may have been closed already
    await channel.unlink(path).catch(ignore); // the first error is the one to report
    throw await explainRefusal(error, { channel, path: parentOf(path), needed_bytes: 1 });
  }
}

interface Restoring {
  readonly path: string;
  readonly handle: Handle;
  readonly size: number;
}

async function putBack(channel: SftpChannel, { path, handle, size }: Restoring): Promise<void> {
  const copy = await channel.open(path);
  try {
    await copyContent(channel, copy, handle);
    await cutAt(channel, handle, size);
  } finally {
    await channel.close(copy).catch(ignore);
  }
}

async function hold(channel: SftpChannel, handle: Handle): Promise<Backup> {
  const bytes = await readBytes(channel, handle, MAX_HELD_BYTES);
  if (!bytes)
    throw new Fault('permission_denied', 'The host has no place for a safe copy of the old content');
  return {
    path: undefined,
    async restore() {
      await writeBytes(channel, handle, bytes);
      await cutAt(channel, handle, bytes.length);
    },
    remove: async () => {},
  };
}

const ignore = () => {};
