const CAPACITY_BYTES = 256 * 1024;
const MIN_CHUNK_BYTES = 128 * 1024; // smaller ones would waste most of it
const MOST_KEPT = 32; // 8 MiB

const kept: ArrayBuffer[] = [];
const borrowed = new WeakMap<Uint8Array, ArrayBuffer>();

/**
 * Memory for a large chunk of a file; undefined for a small chunk. The memory still holds the bytes of an earlier chunk. With a
 * new buffer for each chunk, garbage collection took as much processor time as everything else in a download.
 */
export function borrowChunk(bytes: number): Uint8Array | undefined {
  if (bytes < MIN_CHUNK_BYTES || bytes > CAPACITY_BYTES) return undefined;
  const memory = kept.pop() ?? new ArrayBuffer(CAPACITY_BYTES);
  const chunk = new Uint8Array(memory, 0, bytes);
  borrowed.set(chunk, memory);
  return chunk;
}

/**
 * Only the last user of a chunk may call it. It ignores anything but a whole borrowed chunk. Chunks that nobody gives back are
 * collected like any other memory.
 */
export function giveBackChunk(chunk: Uint8Array): void {
  const memory = borrowed.get(chunk);
  borrowed.delete(chunk);
  if (memory && kept.length < MOST_KEPT) kept.push(memory);
}
