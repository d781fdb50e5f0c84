import { returned } from './returned-memory.ts';

const CAPACITY_BYTES = 256 * 1024;
const MIN_CHUNK_BYTES = 128 * 1024; // smaller ones would waste most of it
const MOST_KEPT = 32; // 8 MiB

/** Memory for the large chunks of one transfer. No other transfer is ever lent the same memory. */
export interface ChunkMemory {
  /**
   * Undefined for a small chunk. The memory still holds the bytes of an earlier chunk of the transfer. With a new buffer for
   * each chunk, garbage collection took as much CPU time as everything else in a download.
   */
  borrow(bytes: number): Uint8Array | undefined;
}

interface Lent {
  readonly memory: ArrayBuffer;
  /** What its transfer may lend again. */
  readonly kept: ArrayBuffer[];
}

/** Chunks pass through streams that know nothing of their transfer, so each finds its way back by itself. */
const lent = new WeakMap<Uint8Array, Lent>();

export function createChunkMemory(): ChunkMemory {
  const kept: ArrayBuffer[] = [];
  return {
    borrow(bytes) {
      if (bytes < MIN_CHUNK_BYTES || bytes > CAPACITY_BYTES) return undefined;
      const memory = kept.pop() ?? new ArrayBuffer(CAPACITY_BYTES);
      const chunk = new Uint8Array(memory, 0, bytes);
      lent.set(chunk, { memory, kept });
      return chunk;
    },
  };
}

/**
 * Only the last user of a chunk may call it. It ignores anything but a whole borrowed chunk. Chunks that nobody gives back are
 * collected like any other memory.
 */
export function giveBackChunk(chunk: Uint8Array): void {
  const found = lent.get(chunk);
  lent.delete(chunk);
  if (!found) return;
  returned(found.memory);
  if (found.kept.length < MOST_KEPT) found.kept.push(found.memory);
}
