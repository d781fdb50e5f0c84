import { beforeEach, describe, expect, it } from 'vitest';
import { type ChunkMemory, createChunkMemory, giveBackChunk } from '#core/lib/bytes/chunk-memory.ts';

const SIZE = 200 * 1024;

let memory: ChunkMemory;
beforeEach(() => {
  memory = createChunkMemory();
});

function borrow(bytes = SIZE): Uint8Array {
  const chunk = memory.borrow(bytes);
  if (!chunk) throw new Error('Nothing was lent');
  return chunk;
}

describe('memory for chunks', () => {
  it('is used again once the chunk is given back', () => {
    const chunk = borrow();
    giveBackChunk(chunk);
    const next = borrow(SIZE - 1);
    expect(next.buffer).toBe(chunk.buffer);
    expect(next.length).toBe(SIZE - 1);
  });

  it('is never lent twice at the same time', () => {
    const chunk = borrow();
    giveBackChunk(chunk);
    giveBackChunk(chunk);
    expect(borrow().buffer).not.toBe(borrow().buffer);
  });

  it('is not given back by a part of the chunk, nor by other bytes', () => {
    const chunk = borrow();
    giveBackChunk(chunk.subarray(0, SIZE));
    giveBackChunk(new Uint8Array(SIZE));
    expect(borrow().buffer).not.toBe(chunk.buffer);
  });

  it('is never lent to another transfer', () => {
    const chunk = borrow();
    giveBackChunk(chunk);
    expect(createChunkMemory().borrow(SIZE)?.buffer).not.toBe(chunk.buffer);
    expect(borrow().buffer).toBe(chunk.buffer);
  });

  it('is overwritten in tests as soon as it is given back, so that a late reader is caught', () => {
    const chunk = borrow().fill(1);
    giveBackChunk(chunk);
    expect(chunk.includes(1)).toBe(false);
  });

  it('is not lent for small chunks, nor for more than it holds', () => {
    expect([memory.borrow(1024), memory.borrow(1024 * 1024)]).toEqual([undefined, undefined]);
  });
});
