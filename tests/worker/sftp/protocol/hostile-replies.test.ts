import { describe, expect, it } from 'vitest';
import { Malformed, toHandle, toStats } from '#worker/sftp/protocol/decode.ts';
import { packet, text, u32, u64 } from '#worker/sftp/protocol/encode.ts';
import { createReplies, type Reply } from '#worker/sftp/protocol/replies.ts';
import { ATTR_SIZE, ATTRS, DATA, HANDLE } from '#worker/sftp/protocol/wire.ts';
import { createShortReadLimit } from '#worker/sftp/transfer/read.ts';
import { createZipNames } from '#worker/sftp/zip/names.ts';

function repliesTo(stream: Buffer, size: number): Reply[] {
  const replies: Reply[] = [];
  const feed = createReplies({
    roomFor: () => undefined,
    broken(why) {
      throw new Error(why);
    },
    reply: (_id, reply) => void replies.push(reply),
  });
  // Each chunk has its own buffer, as it comes from the decipher.
  for (let at = 0; at < stream.length; at += size) feed(Buffer.from(stream.subarray(at, at + size)));
  return replies;
}

function only(bytes: Buffer): Reply {
  const [reply] = repliesTo(bytes, bytes.length);
  if (!reply) throw new Error('There was no reply');
  return reply;
}

describe('Content that arrives a few bytes at a time', () => {
  it.each([1, 7, 1000])('is collected: %i', (size) => {
    const content = Buffer.alloc(200_000, 'some content ');
    const replies = repliesTo(
      Buffer.concat([packet(DATA, [u32(1), text(content)]), packet(DATA, [u32(2), text('next')])]),
      size,
    );
    expect(replies.map(({ pieces }) => Buffer.concat(pieces).equals(content))).toEqual([true, false]);
    expect(Buffer.concat(replies[1]?.pieces ?? []).toString()).toBe('next');
    expect(replies[0]?.pieces.length).toBeLessThan(10);
  });
});

describe('Short content in a large packet', () => {
  it('does not keep the rest of the packet in memory', () => {
    const large = packet(HANDLE, [u32(2), text('h'.repeat(200_000))]);
    for (const length of [1, 5000]) {
      const content = packet(DATA, [u32(1), text('x'.repeat(length))]);
      const [short] = repliesTo(Buffer.concat([content, large]), Number.MAX_SAFE_INTEGER);
      const kept = short?.pieces.map(({ buffer }) => buffer.byteLength) ?? [];
      expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(40_000);
    }
  });
});

describe('A reply that no host may send', () => {
  it('is malformed: a size beyond safe integers', () => {
    const told = (size: number) => toStats(only(packet(ATTRS, [u32(1, ATTR_SIZE), u64(size)])));
    expect(told(Number.MAX_SAFE_INTEGER).size).toBe(Number.MAX_SAFE_INTEGER);
    for (const size of [2 ** 53, 2 ** 63, 2 ** 64 - 2 ** 12]) expect(() => told(size)).toThrow(Malformed);
  });

  it('is malformed: a handle of more than 256 bytes', () => {
    const told = (bytes: number) => toHandle(only(packet(HANDLE, [u32(1), text('h'.repeat(bytes))])));
    expect(told(256)).toHaveLength(256);
    expect(() => told(257)).toThrow(Malformed);
  });
});

describe('Short reads', () => {
  it('are tolerated a thousand times per file', () => {
    const bear = createShortReadLimit();
    for (let read = 0; read < 1000; read += 1) bear(1);
    bear(32_768);
    expect(() => bear(1)).toThrow('a few bytes at a time');
  });
});

describe('Names that become equal once they are sanitised', () => {
  it('are numbered, even tens of thousands of them', () => {
    const names = createZipNames();
    const placed = Array.from({ length: 40_000 }, (_, index) => {
      const unprintable = [index % 31, Math.floor(index / 31) % 31, Math.floor(index / 961) % 31];
      return names.file(String.fromCharCode(...unprintable.map((code) => code + 1)));
    });
    expect(new Set(placed).size).toBe(placed.length);
    expect([placed[0], placed[1], placed.at(-1)]).toEqual(['___', '___ (2)', '___ (40000)']);
  });
});
