import { Fault } from '#core/errors.ts';
import type { RemoteFile } from '#core/ports/files.ts';

const PIECE_BYTES = 256 * 1024; // one READ of OpenSSH
const PIECES_AHEAD = 4;

export type PartReader = Pick<RemoteFile, 'readPart'>;

export interface Extent {
  readonly start: number;
  readonly length: number;
}

/** The bytes of an extent, requested a few pieces ahead. */
export async function* piecesOf(file: PartReader, { start, length }: Extent): AsyncGenerator<Uint8Array> {
  const ahead: Promise<Uint8Array>[] = [];
  let next = start;
  const request = () => {
    while (ahead.length < PIECES_AHEAD && next < start + length) {
      const piece = exactly(file, { start: next, length: Math.min(PIECE_BYTES, start + length - next) });
      piece.catch(() => {}); // reported when its turn comes, unless an earlier one has failed
      ahead.push(piece);
      next += PIECE_BYTES;
    }
  };
  request();
  for (let piece = ahead.shift(); piece; piece = ahead.shift()) {
    const bytes = await piece;
    request();
    yield bytes;
  }
}

/** Throws `archive_damaged` where the file ends too early. */
export async function exactly(file: PartReader, { start, length }: Extent): Promise<Buffer> {
  const bytes = await file.readPart(start, length);
  if (bytes.length < length) throw new Fault('archive_damaged', 'The archive ends too early');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
