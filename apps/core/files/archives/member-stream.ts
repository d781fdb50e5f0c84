import type { ByteSource } from '../../ports/files.ts';

/** Pull-driven. Its end, cancellation or failure calls `close`. */
export function memberStream(source: ByteSource, close: () => Promise<void>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (!done) return controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          return close();
        }
        controller.close();
        await close();
      },
      async cancel() {
        iterator.return?.().catch(() => {}); // not awaited: it would wait for a host that does not answer
        await close();
      },
    },
    { highWaterMark: 0 },
  );
}
