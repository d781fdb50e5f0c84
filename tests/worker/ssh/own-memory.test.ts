import { expect, test } from 'vitest';
import { ownMemory } from '#worker/ssh/internals/own-memory.ts';

test('a short buffer no longer keeps a slab of the shared pool alive', () => {
  const holder = { tag: Buffer.from('sixteen bytes....'), name: 'aes', none: undefined };
  expect(holder.tag.buffer.byteLength).toBeGreaterThan(holder.tag.length);
  ownMemory(holder);
  expect(holder.tag.buffer.byteLength).toBe(holder.tag.length);
  expect(holder).toMatchObject({ tag: Buffer.from('sixteen bytes....'), name: 'aes' });
});
