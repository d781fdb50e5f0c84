import type { Duplex } from 'node:stream';

// Node keeps an object of some 300 bytes for each write, so this many weigh 6 MB, whatever their size. A packet takes up to
// three writes; the largest window of an upload fills less than 5,000.
const MAX_WRITES = 20_000;
const MAX_BYTES = 32 * 1024 ** 2; // the windows of several uploads fit

interface Watch {
  /** These bytes have left the process. */
  sent(bytes: Uint8Array): void;
  /** Called once. */
  exceeded(): void;
}

/**
 * Calls `exceeded` once when more is queued than a slow host leaves unread. Drops what is written after that. What is written
 * in one turn of the event loop goes out in one system call: ssh2 writes each packet in up to three parts.
 */
export function limitUnread(stream: Duplex, { sent, exceeded }: Watch): void {
  const write = stream.write.bind(stream);
  let queued = 0;
  let is_over = false;
  let is_corked = false;
  const uncork = () => {
    is_corked = false;
    stream.uncork();
  };
  stream.write = (bytes: Uint8Array) => {
    if (is_over) return false;
    if (!is_corked) {
      is_corked = true;
      stream.cork();
      process.nextTick(uncork);
    }
    queued += 1;
    const has_room = write(bytes, (error) => {
      queued -= 1;
      if (!error) sent(bytes);
    });
    is_over = queued > MAX_WRITES || stream.writableLength > MAX_BYTES;
    if (is_over) queueMicrotask(exceeded); // ssh2 is in the middle of a packet
    return has_room;
  };
}
