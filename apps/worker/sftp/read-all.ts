import { Fault } from '#core/errors.ts';
import { CHUNK_BYTES, type ReadSource, WINDOW_CHUNKS } from './read-ahead.ts';

/** Reads until the server says there is no more; `expected_bytes` only decides how much to ask for at a time. */
export async function readAll(
  { read }: Pick<ReadSource, 'read'>,
  expected_bytes: number,
  limit_bytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let position = 0;
  for (;;) {
    const asked = chunksUpTo(Math.min(expected_bytes, limit_bytes + 1) - position);
    const begin = position;
    const answers = await Promise.all(
      Array.from({ length: asked }, (_, index) => read(begin + index * CHUNK_BYTES, CHUNK_BYTES)),
    );
    for (const part of answers) {
      if (part.length === 0) return Buffer.concat(parts);
      parts.push(part);
      position += part.length;
      if (position > limit_bytes) throw new Fault('file_too_large');
      if (part.length < CHUNK_BYTES) break; // what follows a short read was asked at the wrong place
    }
  }
}

function chunksUpTo(bytes: number): number {
  return Math.max(1, Math.min(WINDOW_CHUNKS, Math.ceil(bytes / CHUNK_BYTES)));
}
