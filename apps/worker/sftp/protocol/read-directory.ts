import { Fault } from '#core/errors.ts';
import { kindOf } from './attributes.ts';
import type { SftpChannel } from './channel.ts';
import type { NamedEntry } from './decode.ts';
import type { Handle } from './requests.ts';
import { assertStillReal } from './swap-check.ts';

// sshd answers READDIR with a hundred entries: asked one by one, a large directory costs a round trip for each hundred.
const FIRST_READDIRS = 2; // a small directory and its end in one round trip
const MAX_READDIRS = 16;
const MAX_EMPTY_ANSWERS = 1000;
const CHECKS = 4; // before the directory is opened and as many after it, in the same flight

/** An entry as the server told it. */
export type Listed = NamedEntry;

/**
 * The entries of a real directory as they arrive, more at a time the larger it turns out to be; before each it is seen to
 * be still real. Ending it early closes the directory.
 */
export async function* readDirectory(channel: SftpChannel, path: string): AsyncGenerator<Listed[]> {
  const handle = await openDirectory(channel, path);
  let empty_answers = 0;
  try {
    for (let asked = FIRST_READDIRS; ; asked = Math.min(asked * 2, MAX_READDIRS)) {
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: asked }, () => channel.readdir(handle))),
        assertStillReal(channel, path),
      ]);
      const batch = answers.flatMap((answer) => answer ?? []);
      if (batch.length > 0) yield batch;
      if (answers.includes(undefined)) return;
      // An answer may also be empty, and those need not ever end.
      if (batch.length === 0) empty_answers += asked;
      if (empty_answers > MAX_EMPTY_ANSWERS) throw new Fault('sftp_failed', 'The directory has no end');
    }
  } finally {
    channel.close(handle).catch(() => {}); // nothing can be done about it, and nobody need wait for it
  }
}

async function openDirectory(channel: SftpChannel, path: string): Promise<Handle> {
  const checks = () => Promise.all(Array.from({ length: CHECKS }, () => assertStillReal(channel, path)));
  try {
    const [before, handle, after] = await Promise.allSettled([checks(), channel.opendir(path), checks()]);
    if (handle.status === 'rejected') throw handle.reason;
    const swapped = [before, after].find(({ status }) => status === 'rejected');
    if (!swapped) return handle.value;
    channel.close(handle.value).catch(() => {}); // what was opened is not what was asked for
    throw swapped.status === 'rejected' ? swapped.reason : undefined;
  } catch (error) {
    const attributes = await channel.stat(path).catch(() => undefined);
    if (attributes && kindOf(attributes) !== 'directory') {
      throw new Fault('not_a_directory', undefined, { cause: error });
    }
    throw error;
  }
}
