import { MAX_DATA_BYTES } from '../frames.ts';
import { INPUT_WINDOW_BYTES } from '../windows.ts';

const MARKS = { high_bytes: INPUT_WINDOW_BYTES / 2, low_bytes: INPUT_WINDOW_BYTES / 4 };

/** Input on its way to a keeper. */
export interface RemoteInput {
  /** False when no more should come until it was taken. */
  write(bytes: Uint8Array): boolean;
  /** The host has taken so much. True when more may come again. */
  taken(bytes: number): boolean;
  /** Nothing is sent any more. */
  stop(): void;
}

/** Sends no more than the keeper's window, which would end the connection and every terminal with it; a paste may have 4 MiB. */
export function createRemoteInput(send: (bytes: Uint8Array) => void): RemoteInput {
  let waiting: Uint8Array[] = [];
  let waiting_bytes = 0;
  let unacked_bytes = 0;
  let is_full = false;

  function sendWaiting(): void {
    for (let [first] = waiting; first && unacked_bytes < INPUT_WINDOW_BYTES; [first] = waiting) {
      const bytes = first.subarray(0, Math.min(MAX_DATA_BYTES, INPUT_WINDOW_BYTES - unacked_bytes));
      if (bytes.length === first.length) waiting.shift();
      else waiting[0] = first.subarray(bytes.length);
      waiting_bytes -= bytes.length;
      unacked_bytes += bytes.length;
      send(bytes);
    }
  }

  return {
    write(bytes) {
      waiting.push(bytes);
      waiting_bytes += bytes.length;
      sendWaiting();
      is_full = waiting_bytes + unacked_bytes > MARKS.high_bytes;
      return !is_full;
    },
    taken(bytes) {
      unacked_bytes -= bytes;
      sendWaiting();
      if (!is_full || waiting_bytes + unacked_bytes > MARKS.low_bytes) return false;
      is_full = false;
      return true;
    },
    stop() {
      waiting = [];
      waiting_bytes = 0;
    },
  };
}
