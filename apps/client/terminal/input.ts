const MAX_FRAME_BYTES = 64 * 1024; // so that other frames can interleave with a large paste
const MAX_KEPT_BYTES = 64 * 1024;

/** Input that waits for a socket. */
export interface PendingInput {
  /** False if the buffer is full. */
  keep(bytes: Uint8Array): boolean;
  /** Returns and clears everything kept. */
  take(): Uint8Array[];
}

export function createPendingInput(): PendingInput {
  let kept: Uint8Array[] = [];
  let size = 0;
  return {
    keep(bytes) {
      if (size + bytes.length > MAX_KEPT_BYTES) return false;
      kept.push(bytes.slice());
      size += bytes.length;
      return true;
    },
    take() {
      const all = kept;
      kept = [];
      size = 0;
      return all;
    },
  };
}

export function* framesOf(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) yield bytes.slice(at, at + MAX_FRAME_BYTES);
}
