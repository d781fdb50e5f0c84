import { utf8 } from '../../lib/bytes/bytes.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';

const PIECE_CHARACTERS = 64 * 1024;

export interface LineLimits {
  /** Size of all lines together, uncompressed. */
  readonly total_bytes: number;
  readonly line_characters: number;
}

/** Lines are damaged or exceed a limit. */
export class LinesRefused extends Error {
  readonly reason: 'damaged' | 'too_large';

  constructor(reason: LinesRefused['reason'], options?: ErrorOptions) {
    super(`The lines are ${reason}`, options);
    this.name = 'LinesRefused';
    this.reason = reason;
  }
}

/** Compresses lines with gzip (RFC 1952); throws `LinesRefused` when they exceed what can be read back. */
export async function zipLines(
  lines: AsyncIterable<string>,
  { total_bytes }: Pick<LineLimits, 'total_bytes'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = inPieces(lines);
  let left = total_bytes;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        const bytes = utf8(value);
        left -= bytes.length;
        if (left < 0) throw new LinesRefused('too_large');
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 1 },
  );
  return joined(source.pipeThrough(new CompressionStream('gzip')));
}

/** Decompresses line by line, so that an oversized bundle never fills the memory. */
export async function* unzipLines(
  bytes: Uint8Array<ArrayBuffer>,
  limits: LineLimits,
): AsyncGenerator<string, void> {
  const giveWay = createGiveWay();
  let rest = '';
  for await (const text of unzipTexts(bytes, limits.total_bytes)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.length > limits.line_characters) throw new LinesRefused('damaged');
      await giveWay();
      yield line;
    }
    if (rest.length > limits.line_characters) throw new LinesRefused('damaged');
  }
  if (rest !== '') throw new LinesRefused('damaged'); // the last line ends with a newline too
}

async function* unzipTexts(
  bytes: Uint8Array<ArrayBuffer>,
  total_bytes: number,
): AsyncGenerator<string, void> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const read = async () => {
    try {
      const { done, value } = await reader.read();
      return { length: value?.length ?? 0, text: decoder.decode(value, { stream: !done }), done };
    } catch (cause) {
      throw new LinesRefused('damaged', { cause });
    }
  };
  let left = total_bytes;
  try {
    for (let is_over = false; !is_over; ) {
      const { length, text, done } = await read();
      left -= length;
      if (left < 0) throw new LinesRefused('too_large');
      yield text;
      is_over = done;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // a failed stream throws again
  }
}

/** Joins lines into chunks worth compressing. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  const giveWay = createGiveWay();
  let piece: string[] = [];
  let length = 0;
  for await (const line of lines) {
    await giveWay();
    piece.push(line, '\n');
    length += line.length;
    if (length < PIECE_CHARACTERS) continue;
    yield piece.join('');
    piece = [];
    length = 0;
  }
  yield piece.join('');
}

async function joined(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
