import { Fault } from '#core/errors.ts';
import { sentOnce } from '../protocol/pieces.ts';
import type { FileChannels } from '../transfer/file-channels.ts';

export interface RandomWrites {
  /** Resolves when the next write would be sent at once. */
  ready(): Promise<void>;
  /** Resolves when the host has accepted all bytes. */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  /** Resolves when every write so far has been answered. Rejects after `end`: the handle may be another file's by then. */
  settled(): Promise<void>;
  /** Resolves at the same time, and refuses what comes later. */
  end(): Promise<void>;
}

/** Sends writes in order, with a limited number of bytes in flight. */
export function createRandomWrites(
  lanes: FileChannels,
  explain: (error: unknown) => Promise<never>,
): RandomWrites {
  const waiting = new Set<() => void>();
  let in_flight_bytes = 0;
  let last_sent: Promise<unknown> = Promise.resolve();
  let is_over = false;

  const changed = () => new Promise<void>((resolve) => waiting.add(resolve));
  async function send(offset: number, bytes: Uint8Array): Promise<void> {
    in_flight_bytes += bytes.length;
    try {
      await lanes.run(bytes.length, (channel, handle) => channel.write(handle, offset, sentOnce([bytes])));
    } finally {
      in_flight_bytes -= bytes.length;
      for (const wake of waiting) wake();
      waiting.clear();
    }
  }
  /** Resolves with the size of the next request. */
  async function room(): Promise<number> {
    for (;;) {
      const bytes = lanes.next_bytes(in_flight_bytes);
      if (bytes > 0) return bytes;
      await changed();
    }
  }
  /** Resolves when everything has been sent; after a failure, it sends no more. */
  async function sendAll(offset: number, bytes: Uint8Array): Promise<Promise<void>[]> {
    const sent: Promise<void>[] = [];
    let has_failed = false;
    for (let at = 0; at < bytes.length && !has_failed; ) {
      const piece = bytes.subarray(at, at + (await room()));
      const answered = send(offset + at, piece);
      answered.catch(() => {
        has_failed = true;
      });
      sent.push(answered);
      at += piece.length;
    }
    return sent;
  }
  async function settled(): Promise<void> {
    await last_sent;
    while (in_flight_bytes > 0) await changed();
  }
  const closed = () => new Fault('internal', 'The file has been closed');
  return {
    settled: () => (is_over ? Promise.reject(closed()) : settled()),
    async ready() {
      for (let seen: unknown; seen !== last_sent; ) {
        seen = last_sent;
        await last_sent;
        await room();
      }
    },
    async write(offset, bytes) {
      if (is_over) throw closed();
      const sending = last_sent.then(() => sendAll(offset, bytes));
      last_sent = sending;
      for (const outcome of await Promise.allSettled(await sending)) {
        if (outcome.status === 'rejected') await explain(outcome.reason);
      }
    },
    end() {
      is_over = true;
      return settled();
    },
  };
}
