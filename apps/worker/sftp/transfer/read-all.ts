import { Fault } from '#core/errors.ts';
import { lengthOf } from '../protocol/pieces.ts';
import { createPatience } from '../protocol/short-reads.ts';
import type { ReadSource } from './read-ahead.ts';

const MOST_READS = 8;

export interface ReadAllOptions {
  /** Only decides how much to ask for at a time. */
  readonly expected_bytes: number;
  readonly limit_bytes: number;
  readonly chunk_bytes: number;
}

/** Reads until the server says there is no more. */
export async function readAll(
  { read }: Pick<ReadSource, 'read'>,
  { expected_bytes, limit_bytes, chunk_bytes }: ReadAllOptions,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let position = 0;
  const bear = createPatience();
  for (;;) {
    const left_bytes = Math.min(expected_bytes, limit_bytes + 1) - position;
    const asked = Math.max(1, Math.min(MOST_READS, Math.ceil(left_bytes / chunk_bytes)));
    const begin = position;
    const answers = await Promise.all(
      Array.from({ length: asked }, (_, index) => read(begin + index * chunk_bytes, chunk_bytes)),
    );
    for (const answer of answers) {
      if (answer.length === 0) return Buffer.concat(pieces);
      bear(lengthOf(answer));
      pieces.push(...answer);
      position += lengthOf(answer);
      if (position > limit_bytes) throw new Fault('file_too_large');
      if (lengthOf(answer) < chunk_bytes) break; // what follows a short read was asked at the wrong place
    }
  }
}
