import { Fault } from '#core/errors.ts';
import type { ByteRange } from '#core/ports/ssh.ts';

// OpenSSH's largest READ: 256 KiB less 1 KiB for the packet.
export const CHUNK_BYTES = 255 * 1024;
export const WINDOW_CHUNKS = 8; // 2 MiB, the window ssh2 gives a channel: more could not be under way

export interface ReadSource {
  read(position: number, length: number): Promise<Uint8Array>;
  /** Called once, at the end, on cancel and on failure. */
  close(): void;
}

/** Pull-driven: nothing is read until somebody reads, then several READs are in flight, delivered in order. */
export function readAhead(source: ReadSource, { start, end }: ByteRange): ReadableStream<Uint8Array> {
  const window: Promise<Uint8Array>[] = [];
  let next = start;
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    window.length = 0;
    source.close();
  };
  function fill(): void {
    while (window.length < WINDOW_CHUNKS && next <= end) {
      const length = Math.min(CHUNK_BYTES, end + 1 - next);
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
          if (chunk && open) controller.enqueue(chunk);
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
): Promise<Uint8Array> {
  const first = await source.read(position, length);
  if (first.length === length) return first;
  const whole = new Uint8Array(length);
  let filled = 0;
  let part = first;
  for (;;) {
    if (part.length === 0) throw new Fault('sftp_failed', 'The file became shorter while it was read');
    whole.set(part, filled);
    filled += part.length;
    if (filled === length || !isOpen()) return whole;
    part = await source.read(position + filled, length - filled);
  }
}
