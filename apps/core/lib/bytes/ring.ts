const FIRST_BYTES = 4096; // most terminals stay idle with little more than a prompt

/** The latest bytes of a stream, addressed by their offset in the stream. */
export interface Ring {
  /** Offset of the oldest byte kept. */
  start(): number;
  /** Offset of the next byte. */
  end(): number;
  append(bytes: Uint8Array): void;
  /** Memory that it takes. */
  size_bytes(): number;
  /** Keeps at most this many bytes from now on. */
  limit(bytes: number): void;
  /** A copy of the bytes between two offsets that are kept. */
  slice(from: number, to: number): Uint8Array;
}

/** `start`: offset of the first byte that will be appended. */
export function createRing(most_bytes: number, start = 0): Ring {
  let max_bytes = most_bytes;
  let buffer = new Uint8Array(Math.min(FIRST_BYTES, max_bytes));
  let length = 0;
  let end = start;

  /** The byte at offset `o` is stored at `o % buffer.length`, so bytes move when the buffer grows. */
  function grow(wanted: number): void {
    let size = buffer.length;
    while (size < wanted && size < max_bytes) size *= 2;
    size = Math.min(size, max_bytes);
    if (size !== buffer.length) move(size);
  }

  function move(size: number): void {
    const kept = slice(end - Math.min(length, size), end);
    buffer = new Uint8Array(size);
    length = kept.length;
    put(kept, end - length);
  }

  function put(bytes: Uint8Array, offset: number): void {
    const at = offset % buffer.length;
    const first = Math.min(bytes.length, buffer.length - at);
    buffer.set(bytes.subarray(0, first), at);
    buffer.set(bytes.subarray(first), 0);
  }

  function slice(from: number, to: number): Uint8Array {
    const at = from % buffer.length;
    const size = to - from;
    if (at + size <= buffer.length) return buffer.slice(at, at + size);
    const copy = new Uint8Array(size);
    copy.set(buffer.subarray(at));
    copy.set(buffer.subarray(0, size - (buffer.length - at)), buffer.length - at);
    return copy;
  }

  return {
    start: () => end - length,
    end: () => end,
    append(bytes) {
      grow(length + bytes.length);
      const kept = bytes.length > buffer.length ? bytes.subarray(bytes.length - buffer.length) : bytes;
      put(kept, end + bytes.length - kept.length);
      end += bytes.length;
      length = Math.min(length + bytes.length, buffer.length);
    },
    size_bytes: () => buffer.length,
    limit(bytes) {
      max_bytes = bytes;
      if (buffer.length > bytes) move(bytes);
    },
    slice,
  };
}
