import { Fault } from '#core/errors.ts';
import { kindOf } from './attributes.ts';
import type { SftpChannel } from './channel.ts';
import type { NamedEntry } from './decode.ts';
import type { Handle } from './requests.ts';
import { assertStillReal } from './swap-check.ts';

// sshd answers READDIR with a hundred entries; one request at a time would cost a round trip for each hundred.
const FIRST_READDIRS = 2; // reads a small directory and its end in one round trip
const MAX_READDIRS = 16;
const BATCH_BYTES = 1024 * 1024; // sshd sends 10 KiB in an answer
const ENTRY_BYTES = 64;
const MAX_EMPTY_ANSWERS = 1000;
const CHECKS = 4; // before the directory is opened, and as many after it, sent together

/** An entry as the server reported it. */
export type Listed = NamedEntry;

/**
 * The entries of a real directory as they arrive, in batches that grow with the directory. The path is verified with
 * each batch. Ending the iteration early closes the directory.
 */
export async function* readDirectory(channel: SftpChannel, path: string): AsyncGenerator<Listed[]> {
  const handle = await openDirectory(channel, path);
  let empty_answers = 0;
  try {
    let most = MAX_READDIRS;
    for (let asked = FIRST_READDIRS; ; asked = Math.min(asked * 2, most)) {
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: asked }, () => channel.readdir(handle))),
        assertStillReal(channel, path),
      ]);
      const batch = answers.flatMap((answer) => answer ?? []);
      most = mostAfter(answers);
      if (batch.length > 0) yield batch;
      if (answers.includes(undefined)) return;
      // A reply may be empty, and a hostile host could send such replies for ever.
      if (batch.length === 0) empty_answers += asked;
      if (empty_answers > MAX_EMPTY_ANSWERS) throw new Fault('sftp_failed', 'The directory has no end');
    }
  } finally {
    channel.close(handle).catch(() => {}); // best effort
  }
}

/** How many answers of this size may be on their way: a hostile host fills each with tens of thousands of entries. */
function mostAfter(answers: readonly (readonly Listed[] | undefined)[]): number {
  const sizes = answers.map((answer = []) =>
    answer.reduce((sum, { filename }) => sum + ENTRY_BYTES + filename.length, 0),
  );
  return Math.max(1, Math.min(MAX_READDIRS, Math.floor(BATCH_BYTES / Math.max(1, ...sizes))));
}

async function openDirectory(channel: SftpChannel, path: string): Promise<Handle> {
  const checks = () => Promise.all(Array.from({ length: CHECKS }, () => assertStillReal(channel, path)));
  try {
    const [before, handle, after] = await Promise.allSettled([checks(), channel.opendir(path), checks()]);
    if (handle.status === 'rejected') throw handle.reason;
    const swapped = [before, after].find(({ status }) => status === 'rejected');
    if (!swapped) return handle.value;
    channel.close(handle.value).catch(() => {}); // the handle is for another directory
    throw swapped.status === 'rejected' ? swapped.reason : undefined;
  } catch (error) {
    const attributes = await channel.stat(path).catch(() => undefined);
    if (attributes && kindOf(attributes) !== 'directory') {
      throw new Fault('not_a_directory', undefined, { cause: error });
    }
    throw error;
  }
}
