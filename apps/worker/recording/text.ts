import type { Threads } from '../threads/threads.ts';
import { readFault } from './read.ts';
import type { ReadingVerbs } from './verbs.ts';

let last_id = 0;

/** Streams the plain text of a recording on demand; the end, a cancel or an error stops the work in the thread. */
export function castText(threads: Threads<ReadingVerbs>, reach: Reach): ReadableStream<Uint8Array> {
  let begun: Promise<Work> | undefined;
  let is_cancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          begun ??= reach((place) => begin(threads, place));
          const { bytes, is_over } = await (await begun).more();
          if (is_cancelled) return;
          if (bytes.length > 0) controller.enqueue(bytes);
          if (is_over) controller.close();
        } catch (error) {
          throw readFault(error);
        }
      },
      async cancel() {
        is_cancelled = true;
        await (await begun)?.drop();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Finds a cast: passes on an absolute path, or a signed URL when there is no such file. */
export type Reach = <T>(use: (place: string) => Promise<T>) => Promise<T>;

interface Work {
  /** The next part of the text and whether it is the last. */
  more(): Promise<{ bytes: Uint8Array; is_over: boolean }>;
  drop(): Promise<void>;
}

async function begin(threads: Threads<ReadingVerbs>, file: string): Promise<Work> {
  const thread = threads.get();
  const id = ++last_id;
  const release = thread.hold(() => {}); // pending calls report it
  async function orRelease<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      release();
      throw error;
    }
  }
  await orRelease(thread.call('text', { id, file }));
  return {
    async more() {
      for (;;) {
        const { buffer, is_over } = await orRelease(thread.call('more', { id }));
        if (is_over) release();
        if (is_over || buffer.byteLength > 0) return { bytes: new Uint8Array(buffer), is_over };
      }
    },
    async drop() {
      release();
      await thread.call('drop', { id });
    },
  };
}
