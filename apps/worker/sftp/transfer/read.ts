import { Fault } from '#core/errors.ts';
import type { ByteRange } from '#core/ports/files.ts';
import { lengthOf, type Pieces } from '../protocol/pieces.ts';

export interface ReadSource {
  /** The size of the next request with `outstanding_bytes` requested and not yet consumed; 0 means wait. */
  next_bytes(outstanding_bytes: number): number;
  /** In `room` or in pieces as they arrived; fewer bytes than requested are a short read, none mean the end of the file. */
  read(position: number, length: number, room?: Uint8Array): Promise<Pieces>;
  /** Memory for a whole chunk. */
  borrow?(bytes: number): Uint8Array | undefined;
  /** Called with the size of each short read. */
  onShortRead?(bytes: number): void;
  /** Called once, at the end, on cancel and on failure. */
  close(): void;
}

/** Pull-driven: sends nothing before the first read, then keeps several READs in flight and delivers them in order. */
export function readAhead(source: ReadSource, { start, end }: ByteRange): ReadableStream<Uint8Array> {
  const window: Promise<Pieces>[] = [];
  let next = start;
  let taken = start;
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    window.length = 0;
    source.close();
  };
  function fill(): void {
    while (next <= end) {
      const length = Math.min(source.next_bytes(next - taken), end + 1 - next);
      if (length === 0) return;
      const chunk = readFully(source, next, length, () => open);
      chunk.catch(() => {}); // reported when the reader gets to it
      window.push(chunk);
      next += length;
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          fill();
          const chunk = await window.shift();
          for (const piece of (open && chunk) || []) controller.enqueue(piece);
          taken += chunk ? lengthOf(chunk) : 0;
          if (window.length > 0 || next <= end || !open) return;
          close();
          controller.close();
        } catch (error) {
          close();
          throw error;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** Completes short reads; a file that ends too early is an error, never a short body. */
async function readFully(
  source: ReadSource,
  position: number,
  length: number,
  isOpen: () => boolean,
): Promise<Pieces> {
  const room = source.borrow?.(length);
  const whole = [...(await source.read(position, length, room))];
  let filled = lengthOf(whole);
  if (filled < length) source.onShortRead?.(filled);
  const bear = createShortReadLimit();
  while (filled < length && isOpen()) {
    const more =
      filled > 0 ? await source.read(position + filled, length - filled, room?.subarray(filled)) : [];
    const more_bytes = lengthOf(more);
    if (more_bytes === 0) throw new Fault('sftp_failed', 'The file became shorter while it was being read');
    bear(more_bytes);
    whole.push(...more);
    filled += more_bytes;
  }
  return room && fills(room, whole) ? [room] : whole;
}

/** Where nothing was written, a borrowed room still has the content of another file. */
function fills(room: Uint8Array, pieces: Pieces): boolean {
  return lengthOf(pieces) === room.length && pieces.every(({ buffer }) => buffer === room.buffer);
}

const MAX_READS = 8;

export interface ReadAllOptions {
  /** Only determines how many requests are sent at a time. */
  readonly expected_bytes: number;
  readonly limit_bytes: number;
  readonly chunk_bytes: number;
}

/** Reads to the end of the file. */
export async function readAll(
  { read }: Pick<ReadSource, 'read'>,
  { expected_bytes, limit_bytes, chunk_bytes }: ReadAllOptions,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let position = 0;
  const bear = createShortReadLimit();
  for (;;) {
    const left_bytes = Math.min(expected_bytes, limit_bytes + 1) - position;
    const asked = Math.max(1, Math.min(MAX_READS, Math.ceil(left_bytes / chunk_bytes)));
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
      if (lengthOf(answer) < chunk_bytes) break; // the reads behind a short one used the wrong offsets
    }
  }
}

export interface ReadPartOptions {
  readonly start: number;
  readonly length: number;
  readonly chunk_bytes: number;
}

/** One request at a time, because a short read moves the next one; ends at the end of the file. */
export async function readPart(
  { read }: Pick<ReadSource, 'read'>,
  { start, length, chunk_bytes }: ReadPartOptions,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const bear = createShortReadLimit();
  for (let position = start; position < start + length; ) {
    const answer = await read(position, Math.min(chunk_bytes, start + length - position));
    if (answer.length === 0) break;
    bear(lengthOf(answer));
    pieces.push(...answer);
    position += lengthOf(answer);
  }
  return Buffer.concat(pieces);
}

const SHORT_BYTES = 4096;
const MAX_SHORT = 1000;

/** Tolerates short reads, but not a host that only ever returns a few bytes at a time. */
export function createShortReadLimit(): (read_bytes: number) => void {
  let short = 0;
  return (read_bytes) => {
    if (read_bytes < SHORT_BYTES) short += 1;
    if (short > MAX_SHORT) throw new Fault('sftp_failed', 'The host returns only a few bytes at a time');
  };
}
