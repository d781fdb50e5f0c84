import { access, constants, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault } from '#core/errors.ts';
import { withDeadline } from '#core/lib/time/deadline.ts';
import type { CastEnd, CastListener, Casts, NewCast, OpenCast } from '#core/ports/casts.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { createThreads, type Threads } from '../threads/threads.ts';
import { createBufferPool } from './batch.ts';
import { directoryId } from './directory-id.ts';
import { FileCast } from './file-cast.ts';
import { createReach, sizeOfFile } from './reach.ts';
import { castPath, existingCastPath, readCast, readFault } from './read.ts';
import { searchCast } from './search.ts';
import { openSource } from './source.mjs';
import { createSpooledStore, type SpooledStore, type SpooledStoreOptions } from './store/cast-store.ts';
import { type Backlog, backlogOf } from './store/spool.ts';
import { castText } from './text.ts';
import type { CastState, ReadingVerbs, WritingVerbs } from './verbs.ts';

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
  /** Takes casts that are over; undefined: they stay in the directory. */
  readonly store?: SpooledStoreOptions | undefined;
  readonly writing?: Threads<WritingVerbs>;
}

export interface FileCasts extends Casts {
  /** What waits for the store; nothing without one. */
  backlog(): Promise<Backlog>;
  /** Ends the threads; all recordings must be closed before. */
  stop(): Promise<void>;
}

/** Recordings below one directory: one thread writes them all, others read. A store takes those that are over. */
export function createCasts({
  dir,
  clock,
  store: store_options,
  writing = writingThreads(clock),
}: CastsOptions): FileCasts {
  const reading = { entry: READING, clock, idle_ms: IDLE_MS };
  // Separate threads: a recording whose text hangs must not block the verification of others.
  const digests = createThreads<ReadingVerbs>({ ...reading, silence_ms: DIGEST_SILENCE_MS });
  const texts = createThreads<ReadingVerbs>({ ...reading, silence_ms: TEXT_SILENCE_MS });
  const searches = createThreads<ReadingVerbs>({ ...reading, silence_ms: TEXT_SILENCE_MS });
  const digest = async (file: string, most_bytes?: number) =>
    digests.get().call('digest', { file, most_bytes }).catch(throwFault);
  const fileOf = (path: string) => existingCastPath(dir, path);
  const store =
    store_options && createSpooledStore({ ...store_options, dir: resolve(dir), clock, fileOf, digest });
  const reach = createReach(fileOf, store?.objects);
  return {
    store,
    probe: () => assertWritable(resolve(dir)),
    directoryId: (options) => directoryId(resolve(dir), options),
    ...createOpening({ dir, clock, writing, digest, store }),
    size: (path) => reach(path, sizeOfFile, (objects) => objects.size(path)),
    read: (path, range = { start: 0, end: undefined }, announced = undefined) =>
      readCast(() => reach(path, (place) => openSource(place, announced)), range),
    text: (path) => castText(texts, (use) => reach(path, use)),
    search: (path, text, signal) => reach(path, (file) => searchCast(searches, { file, text, signal })),
    digest: (path, most_bytes) => reach(path, (place) => digest(place, most_bytes)),
    async remove(path) {
      const file = castPath(dir, path);
      if (file === undefined) return;
      await store?.remove(path); // first: it may fail
      await rm(file, { force: true });
    },
    backlog: async () => (store ? backlogOf(resolve(dir)) : { files: 0, bytes: 0 }),
    async stop() {
      store?.stop();
      await Promise.all([writing.stop(), digests.stop(), texts.stop(), searches.stop()]);
    },
  };
}

function writingThreads(clock: Clock): Threads<WritingVerbs> {
  return createThreads({ entry: WRITING, clock, silence_ms: DISK_SILENCE_MS, idle_ms: IDLE_MS });
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

interface CreateDeps extends Required<Pick<CastsOptions, 'dir' | 'clock' | 'writing'>> {
  readonly store: SpooledStore | undefined;
  digest(file: string): Promise<CastEnd>;
}

type WritingThread = ReturnType<Threads<WritingVerbs>['get']>;

interface Opened {
  readonly path: string;
  readonly started_at: Date;
  readonly offset: number;
  /** Makes the thread open the file. */
  readonly call: (thread: WritingThread, file: { id: number; file: string }) => Promise<CastState>;
}

function createOpening({ dir, clock, writing, digest, store }: CreateDeps): Pick<Casts, 'create' | 'resume'> {
  const spare = createBufferPool();
  let last_id = 0;
  async function open({ path, started_at, offset, call }: Opened, listener: CastListener): Promise<FileCast> {
    const file = castPath(dir, path);
    if (file === undefined) throw new Fault('recording_failed');
    const thread = writing.get();
    const id = ++last_id;
    const spooled = store?.begin(path);
    const { end } = await call(thread, { id, file }).catch((error) => {
      spooled?.closed();
      throw error;
    });
    spooled?.grow(end.size_bytes);
    listener.written?.({ offset, size_bytes: end.size_bytes });
    const salvage = () =>
      withDeadline(digest(file), {
        after: clock.after,
        ms: SALVAGE_MS,
        error: () => new Error(`The recording could not be read within ${SALVAGE_MS} ms`),
      });
    const own = { id, thread, clock, buffers: spare, listener, spooled, salvage };
    return new FileCast({ ...own, started_at, offset, end });
  }
  async function openOrRefuse(opened: Opened, listener: CastListener): Promise<FileCast> {
    try {
      return await open(opened, listener);
    } catch (cause) {
      throw new Fault('recording_failed', undefined, { cause });
    }
  }
  return {
    create(cast, listener) {
      const { path, started_at, max_bytes } = cast;
      const call: Opened['call'] = (thread, file) =>
        thread.call('open', { ...file, header: headerOf(cast), max_bytes });
      return openOrRefuse({ path, started_at, offset: 0, call }, listener);
    },
    resume({ path, started_at, max_bytes, position }: OpenCast, listener) {
      const { offset, size_bytes } = position;
      const call: Opened['call'] = (thread, file) =>
        thread.call('reopen', { ...file, size_bytes, max_bytes });
      return openOrRefuse({ path, started_at, offset, call }, listener);
    },
  };
}

function headerOf({ size, started_at, title }: NewCast): object {
  const timestamp = Math.floor(started_at.getTime() / 1000);
  return { version: 2, width: size.cols, height: size.rows, timestamp, title, env: { TERM } };
}

function throwFault(cause: unknown): never {
  throw readFault(cause);
}
