import { Fault } from '#core/errors.ts';
import type { ByteRange } from '#core/ports/files.ts';
import { lengthOf, type Pieces } from '../protocol/pieces.ts';
import { createPatience } from '../protocol/short-reads.ts';

export interface ReadSource {
  /** How much to ask for next with so much asked for and not taken; 0: wait until some is taken. */
  next_bytes(outstanding_bytes: number): number;
  /** In pieces as they came; fewer bytes than asked for are a short read, none the end of the file. */
  read(position: number, length: number): Promise<Pieces>;
  /** Told of answers with fewer bytes than asked for. */
  shortened?(bytes: number): void;
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
  source.shortened?.(filled);
  const whole = [...first];
  const bear = createPatience();
  while (filled < length && isOpen()) {
    const more = filled > 0 ? await source.read(position + filled, length - filled) : [];
    if (more.length === 0) throw new Fault('sftp_failed', 'The file became shorter while it was read');
    bear(lengthOf(more));
    whole.push(...more);
    filled += lengthOf(more);
  }
  return whole;
}
