import { type FileHandle, open } from 'node:fs/promises';
import type { CastRange } from '#core/ports/casts.ts';
import { readFault } from './place.ts';

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file as they are asked for; its end, cancel or error closes it. */
export function readCast(
  place: () => string,
  { start, end = Number.POSITIVE_INFINITY }: CastRange,
): ReadableStream<Uint8Array> {
  let opened: Promise<FileHandle> | undefined;
  let at = start;
  async function next(): Promise<Uint8Array> {
    opened ??= open(place(), 'r');
    const file = await opened;
    const wanted = Math.max(0, Math.min(CHUNK_BYTES, end - at));
    const { bytesRead, buffer } = await file.read(new Uint8Array(wanted), 0, wanted, at);
    at += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
  const close = async () => (await opened)?.close();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const bytes = await next();
          if (bytes.length > 0) return controller.enqueue(bytes);
          await close();
          controller.close();
        } catch (error) {
          await close().catch(() => undefined); // never opened
          throw readFault(error);
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
