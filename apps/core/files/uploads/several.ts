import { createKeyedLimiter, createSlots } from '../../lib/concurrency/limiter.ts';
import { fold } from '../../lib/text/fold.ts';
import { untilAborted } from '../../lib/time/deadline.ts';
import { assertFileName } from '../../policy/file-names.ts';
import type { ByteSource } from '../../ports/files.ts';

const FILES_AT_ONCE = 16; // many small files should not wait a few round trips each
const SMALL_BYTES = 128 * 1024; // kept in memory, 2 MiB per request

/** Its content must be consumed before the next file. */
export interface UploadedFile {
  readonly name: string;
  readonly content: ByteSource;
}

export interface FileTurn {
  /** Position in the request. */
  readonly nth: number;
  readonly name: string;
  readonly source: ByteSource;
  readonly limit_bytes: number | undefined;
  readonly signal: AbortSignal;
}

export interface SeveralOptions {
  readonly signal: AbortSignal;
  /** The largest size of all files together. */
  readonly max_bytes: number | undefined;
  /** Resolves with the size. */
  readonly place: (file: FileTurn) => Promise<number>;
}

/**
 * Places the files of one request, small ones several at once. A failure stops the files behind it; those before it are
 * completed, and the first failure in the order of the request is thrown.
 */
export async function placeSeveral(
  files: AsyncIterable<UploadedFile>,
  { signal, max_bytes, place }: SeveralOptions,
): Promise<void> {
  const acquireSlot = createSlots({ concurrency: FILES_AT_ONCE });
  const oneByName = createKeyedLimiter(1); // of two files with one name, the later one stays
  const jobs = createJobs(signal);
  let left_bytes = max_bytes;
  let nth = 0;

  async function take({ name, content }: UploadedFile, release: () => void): Promise<void> {
    assertFileName(name);
    const head = await readHead(content, jobs.stopped);
    const limit_bytes = left_bytes;
    const file = { nth, name, source: head.source, limit_bytes };
    const work = jobs.run(nth, (stop) => oneByName(fold(name), () => place({ ...file, signal: stop })));
    const placed = work.finally(release);
    if (head.size !== undefined) left_bytes = minus(left_bytes, head.size);
    else left_bytes = minus(left_bytes, (await placed) ?? 0);
  }

  try {
    for await (const file of files) {
      const release = await acquireSlot(jobs.stopped);
      await take(file, release).catch((error: unknown) => {
        release();
        throw error;
      });
      jobs.stopped.throwIfAborted();
      nth += 1;
    }
  } catch (error) {
    jobs.fail(nth, error);
  }
  await jobs.settled();
}

function minus(left_bytes: number | undefined, bytes: number): number | undefined {
  return left_bytes === undefined ? undefined : Math.max(0, left_bytes - bytes);
}

/** Work in the order of the request; a failure aborts what comes after it. */
function createJobs(signal: AbortSignal) {
  const running = new Map<number, AbortController>();
  const all = new Set<Promise<unknown>>();
  const stopped = new AbortController();
  let first: { readonly nth: number; readonly error: unknown } | undefined;

  function fail(nth: number, error: unknown): void {
    if (first && first.nth <= nth) return;
    first = { nth, error };
    stopped.abort(error);
    for (const [place, job] of running) if (place > nth) job.abort(error);
  }
  return {
    /** Aborts once the remaining files must not be read. */
    stopped: AbortSignal.any([signal, stopped.signal]),
    fail,
    /** Resolves with undefined after a failure, which is kept. */
    run<T>(nth: number, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
      const job = new AbortController();
      running.set(nth, job);
      const done = work(AbortSignal.any([signal, job.signal]))
        .catch((error: unknown) => {
          fail(nth, error);
          return undefined;
        })
        .finally(() => {
          running.delete(nth);
          all.delete(done);
        });
      all.add(done);
      return done;
    },
    async settled(): Promise<void> {
      await Promise.all(all);
      if (first) throw first.error;
    },
  };
}

interface Head {
  readonly source: ByteSource;
  /** Size of the whole file; undefined if it is longer than what was read. */
  readonly size: number | undefined;
}

async function readHead(content: ByteSource, signal: AbortSignal): Promise<Head> {
  const iterator = content[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (size <= SMALL_BYTES) {
    const next = await untilAborted(signal, iterator.next());
    if (next.done) return { source: inOrder(pieces), size };
    pieces.push(next.value);
    size += next.value.length;
  }
  return { source: inOrder(pieces, iterator), size: undefined };
}

async function* inOrder(
  pieces: readonly Uint8Array[],
  rest?: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* pieces;
  try {
    for (let next = await rest?.next(); next && !next.done; next = await rest?.next()) yield next.value;
  } finally {
    await rest?.return?.();
  }
}
