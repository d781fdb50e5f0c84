import { Fault } from '#core/errors.ts';
import type { ByteRange } from '#core/ports/files.ts';
import { lengthOf, type Pieces } from '../protocol/pieces.ts';

export interface ReadSource {
  /** How much to ask for next with so much asked for and not taken; 0: wait until some is taken. */
  next_bytes(outstanding_bytes: number): number;
  /** In pieces as they came; fewer bytes than asked for are a short read, none the end of the file. */
  read(position: number, length: number): Promise<Pieces>;
  /** Told of answers with fewer bytes than asked for. */
  onShortRead?(bytes: number): void;
  /** Called once, at the end, on cancel and on failure. */
  close(): void;
}

/** Pull-driven: nothing is read until somebody reads, then several READs are in flight, delivered in order. */
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
      chunk.catch(() => {}); // the reader meets a failure when its turn comes
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

/** Servers may answer with fewer bytes than asked; a file that ends too early is an error, never a short body. */
async function readFully(
  source: ReadSource,
  position: number,
  length: number,
  isOpen: () => boolean,
): Promise<Pieces> {
  const first = await source.read(position, length);
  let filled = lengthOf(first);
  if (filled === length) return first;
  source.onShortRead?.(filled);
  const whole = [...first];
  const bear = createShortReadLimit();
  while (filled < length && isOpen()) {
    const more = filled > 0 ? await source.read(position + filled, length - filled) : [];
    if (more.length === 0) throw new Fault('sftp_failed', 'The file became shorter while it was read');
    bear(lengthOf(more));
    whole.push(...more);
    filled += lengthOf(more);
  }
  return whole;
}

const MAX_READS = 8;

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
      if (lengthOf(answer) < chunk_bytes) break; // what follows a short read was asked at the wrong place
    }
  }
}

const SHORT_BYTES = 4096;
const MAX_SHORT = 1000;

/** Short reads are allowed, but a host that gives a few bytes at a time costs more than they are worth. */
export function createShortReadLimit(): (read_bytes: number) => void {
  let short = 0;
  return (read_bytes) => {
    if (read_bytes < SHORT_BYTES) short += 1;
    if (short > MAX_SHORT) throw new Fault('sftp_failed', 'The host gives the file a few bytes at a time');
  };
}
