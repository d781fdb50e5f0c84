import { access, constants, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault } from '#core/errors.ts';
import { withDeadline } from '#core/lib/deadline.ts';
import type { CastEnd, CastListener, Casts, NewCast } from '#core/ports/casts.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { createThreads, type Threads } from '../threads/threads.ts';
import { createBufferPool } from './batch.ts';
import { directoryId } from './directory-id.ts';
import { FileCast } from './file-cast.ts';
import { castPath, existingCastPath, readCast, readFault } from './read.ts';
import { searchCast } from './search.ts';
import { castText } from './text.ts';
import type { ReadingVerbs, WritingVerbs } from './verbs.ts';

// In the bundle as in the sources, the thread files are next to this one.
const WRITING = new URL('./writing-thread.mjs', import.meta.url);
const READING = new URL('./reading-thread.mjs', import.meta.url);
const DISK_SILENCE_MS = 10_000;
const DIGEST_SILENCE_MS = 30_000;
const TEXT_SILENCE_MS = 10_000; // a hostile host may have sent output that takes for ever to render
const IDLE_MS = 60_000;
const SALVAGE_MS = 10_000;
const TERM = 'xterm-256color';

export interface CastsOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly writing?: Threads<WritingVerbs>;
}

export interface FileCasts extends Casts {
  /** Ends the threads; all recordings must be closed before. */
  stop(): Promise<void>;
}

/** Recordings below one directory: one thread writes them all, others read. */
export function createCasts({
  dir,
  clock,
  writing = createThreads<WritingVerbs>({
    entry: WRITING,
    clock,
    silence_ms: DISK_SILENCE_MS,
    idle_ms: IDLE_MS,
  }),
}: CastsOptions): FileCasts {
  const reading = { entry: READING, clock, idle_ms: IDLE_MS };
  // Separate threads: a recording whose text hangs must not block the verification of others.
  const digests = createThreads<ReadingVerbs>({ ...reading, silence_ms: DIGEST_SILENCE_MS });
  const texts = createThreads<ReadingVerbs>({ ...reading, silence_ms: TEXT_SILENCE_MS });
  const searches = createThreads<ReadingVerbs>({ ...reading, silence_ms: TEXT_SILENCE_MS });
  const digest = async (file: string) => digests.get().call('digest', { file });
  return {
    probe: () => assertWritable(resolve(dir)),
    directoryId: (options) => directoryId(resolve(dir), options),
    create: createCreate({ dir, clock, writing, digest }),
    async size(path) {
      const file = await stat(existingCastPath(dir, path)).catch(throwFault);
      if (!file.isFile()) throw new Fault('recording_file_missing');
      return file.size;
    },
    read: (path, range = { start: 0, end: undefined }) => readCast(() => existingCastPath(dir, path), range),
    text: (path) => castText(texts, () => existingCastPath(dir, path)),
    search: async (path, text, signal) =>
      searchCast(searches, { file: existingCastPath(dir, path), text, signal }).catch(throwFault),
    digest: async (path) => digest(existingCastPath(dir, path)).catch(throwFault),
    async remove(path) {
      const file = castPath(dir, path);
      if (file !== undefined) await rm(file, { force: true });
    },
    async stop() {
      await Promise.all([writing.stop(), digests.stop(), texts.stop(), searches.stop()]);
    },
  };
}

/** Checks the directory, or its nearest existing ancestor. */
async function assertWritable(dir: string): Promise<void> {
  try {
    await access(dir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const is_missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!is_missing || dirname(dir) === dir) throw error;
    return assertWritable(dirname(dir));
  }
  if (!(await stat(dir)).isDirectory()) throw new Error(`${dir} is not a directory`);
}

interface CreateDeps extends Required<CastsOptions> {
  digest(file: string): Promise<CastEnd>;
}

function createCreate({ dir, clock, writing, digest }: CreateDeps): Casts['create'] {
  const spare = createBufferPool();
  let last_id = 0;
  async function open(cast: NewCast, listener: CastListener): Promise<FileCast> {
    const file = castPath(dir, cast.path);
    if (file === undefined) throw new Fault('recording_failed');
    const thread = writing.get();
    const id = ++last_id;
    const { started_at, max_bytes } = cast;
    const { end } = await thread.call('open', { id, file, header: headerOf(cast), max_bytes });
    const salvage = () =>
      withDeadline(digest(file), {
        after: clock.after,
        ms: SALVAGE_MS,
        error: () => new Error(`The recording could not be read within ${SALVAGE_MS} ms`),
      });
    return new FileCast({ id, thread, clock, buffers: spare, listener, started_at, end, salvage });
  }
  return async (cast, listener) => {
    try {
      return await open(cast, listener);
    } catch (cause) {
      throw new Fault('recording_failed', undefined, { cause });
    }
  };
}

function headerOf({ size, started_at, title }: NewCast): object {
  const timestamp = Math.floor(started_at.getTime() / 1000);
  return { version: 2, width: size.cols, height: size.rows, timestamp, title, env: { TERM } };
}

function throwFault(cause: unknown): never {
  throw readFault(cause);
}
