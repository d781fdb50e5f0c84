const MAX_FRAME_BYTES = 64 * 1024; // a large paste must not be one frame that nothing can interleave
const MAX_KEPT_BYTES = 64 * 1024;

/** What is typed while no socket is there. */
export interface KeptInput {
  /** False: too much has been kept already. */
  keep(bytes: Uint8Array): boolean;
  /** All of it, once. */
  take(): Uint8Array[];
}

export function createKeptInput(): KeptInput {
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
