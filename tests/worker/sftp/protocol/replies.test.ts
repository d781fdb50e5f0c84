import { describe, expect, it, vi } from 'vitest';
import {
  Malformed,
  toEntries,
  toHandle,
  toLinkTarget,
  toNothing,
  toPieces,
  toSpace,
  toStats,
} from '#worker/sftp/protocol/decode.ts';
import { packet, text, u32, u64 } from '#worker/sftp/protocol/encode.ts';
import { createReplies, type Reply } from '#worker/sftp/protocol/replies.ts';
import {
  ATTRS,
  DATA,
  EXTENDED_REPLY,
  HANDLE,
  MAX_PACKET_BYTES,
  NAME,
  STATUS,
} from '#worker/sftp/protocol/wire.ts';

const CONTENT = Buffer.from('a content of some length');
const NO_ATTRIBUTES = u32(0);
const ok = (id: number) => packet(STATUS, [u32(id, 0), text('OK'), text('')]);
const refused = (code: number) => packet(STATUS, [u32(1, code)]);

/** The replies in a stream that is cut into chunks of one size. */
function take(
  stream: Buffer,
  size = stream.length,
  roomFor: (id: number) => Uint8Array | undefined = () => undefined,
) {
  const replies: [number, Reply][] = [];
  const broken = vi.fn();
  const feed = createReplies({ broken, roomFor, reply: (id, reply) => void replies.push([id, reply]) });
  for (let at = 0; at < stream.length; at += size) feed(stream.subarray(at, at + size));
  return { replies, broken };
}

function only(stream: Buffer): Reply {
  const [first] = take(stream).replies;
  if (!first) throw new Error('There was no reply');
  return first[1];
}

const errorCodeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

describe('replies of an SFTP server', () => {
  const stream = Buffer.concat([
    ok(7),
    packet(DATA, [u32(8), text(CONTENT)]),
    packet(DATA, [u32(9), text('')]),
    packet(HANDLE, [u32(10), text('handle')]),
  ]);

  it('are parsed however the stream is chunked', () => {
    for (let size = 1; size <= stream.length; size += 1) {
      const { replies, broken } = take(stream, size);
      expect(replies.map(([id, { type }]) => [id, type])).toEqual([
        [7, STATUS],
        [8, DATA],
        [9, DATA],
        [10, HANDLE],
      ]);
      expect(Buffer.concat(toPieces(replies[1]?.[1] ?? only(stream), CONTENT.length))).toEqual(CONTENT);
      expect(broken).not.toHaveBeenCalled();
    }
  });

  it('contain data without a copy', () => {
    const [, data] = take(stream).replies;
    expect(data?.[1].pieces.map(({ buffer }) => buffer)).toEqual([stream.buffer]);
  });

  it('put data into the room of their request, however the stream is chunked', () => {
    for (let size = 1; size <= stream.length; size += 1) {
      const room = new Uint8Array(CONTENT.length + 1).fill(7);
      const { replies } = take(stream, size, (id) => (id === 8 ? room : undefined));
      const [piece, ...others] = replies[1]?.[1].pieces ?? [];
      expect([piece?.buffer, others]).toEqual([room.buffer, []]);
      expect(Buffer.from(piece ?? [])).toEqual(CONTENT);
      expect(room.at(-1)).toBe(7);
    }
  });

  it('leave a room alone that is too small for their data', () => {
    const room = new Uint8Array(CONTENT.length - 1);
    const { replies } = take(stream, 5, () => room);
    expect(Buffer.concat(replies[1]?.[1].pieces ?? [])).toEqual(CONTENT);
    expect(room).toEqual(new Uint8Array(CONTENT.length - 1));
  });

  it.each([
    ['is too long', packet(NAME, [u32(1)], MAX_PACKET_BYTES)],
    ['has no room for its id', packet(STATUS, [])],
    ['holds more than its content', packet(DATA, [u32(1), text(CONTENT), Buffer.of(1)])],
    ['holds less than its content', packet(DATA, [u32(1), u32(99), CONTENT])],
  ])('end with a packet that %s', (_what, bytes) => {
    const { replies, broken } = take(Buffer.concat([bytes, ok(2)]), 5);
    expect(replies).toEqual([]);
    expect(broken).toHaveBeenCalledTimes(1);
  });
});

describe('the content of a reply', () => {
  it('is success, a failure with its code, or the end', () => {
    expect(toNothing(only(ok(1)))).toBeUndefined();
    expect(errorCodeOf(() => toNothing(only(refused(4))))).toBe(4);
    expect(errorCodeOf(() => toHandle(only(refused(3))))).toBe(3);
    expect(toPieces(only(refused(1)), 10)).toEqual([]);
    expect(toEntries(only(refused(1)))).toBeUndefined();
    expect(errorCodeOf(() => toStats(only(refused(1))))).toBe(1);
  });

  it('is refused when it is longer than requested', () => {
    const reply = only(packet(DATA, [u32(1), text(CONTENT)]));
    expect(toPieces(reply, CONTENT.length).length).toBeGreaterThan(0);
    expect(() => toPieces(reply, CONTENT.length - 1)).toThrow('More data than requested');
  });

  it('includes every attribute, with 0 for those that are missing', () => {
    const all = [
      u32(0x8000000f),
      u64(2 ** 40 + 5),
      u32(1, 2, 0o100644, 3, 4, 1),
      text('name'),
      text('value'),
    ];
    const stats = { size: 2 ** 40 + 5, uid: 1, gid: 2, mode: 0o100644, atime: 3, mtime: 4 };
    expect(toStats(only(packet(ATTRS, [u32(1), ...all])))).toEqual(stats);
    const nothing = { size: 0, uid: 0, gid: 0, mode: 0, atime: 0, mtime: 0 };
    expect(toStats(only(packet(ATTRS, [u32(1), NO_ATTRIBUTES])))).toEqual(nothing);
  });

  it('lists entries without their long lines', () => {
    const named = (name: string | Uint8Array) => [text(name), text('-rw-r--r--'), NO_ATTRIBUTES];
    const reply = only(packet(NAME, [u32(1, 2), ...named('ü'), ...named(Buffer.of(0xe9))]));
    expect(toEntries(reply)?.map(({ filename }) => filename)).toEqual(['ü', '\udce9']);
    expect(toLinkTarget(reply)).toBe('ü');
  });

  it('reports free disk space, even where files are not counted', () => {
    const told = (files: number, favail: number) =>
      only(packet(EXTENDED_REPLY, [u32(1), ...[4096, 512, 9, 8, 7, files, 6, favail, 1, 2, 3].map(u64)]));
    const bytes = { total_bytes: 8 * 512, free_bytes: 7 * 512 }; // without the block that only root may use
    expect(toSpace(told(10, 5))).toEqual({ ...bytes, total_files: 10, free_files: 5 });
    expect(toSpace(told(0, 0))).toEqual({ ...bytes, total_files: 0, free_files: Number.POSITIVE_INFINITY });
  });

  it.each<[string, (reply: Reply) => unknown, Buffer]>([
    ['of another type', toHandle, packet(ATTRS, [u32(1), NO_ATTRIBUTES])],
    ['that says OK where there should be an answer', toHandle, ok(1)],
    ['whose string leaves it', toHandle, packet(HANDLE, [u32(1, 99), Buffer.from('short')])],
    ['with fewer names than it says', toEntries, packet(NAME, [u32(1, 4_000_000_000)])],
    ['without a name', toLinkTarget, packet(NAME, [u32(1, 0)])],
    ['with fewer attributes than it says', toStats, packet(ATTRS, [u32(1, 0x8000000f, 1)])],
    ['without a status', toNothing, packet(STATUS, [u32(1)])],
  ])('is malformed in a packet %s', (_what, decode, bytes) => {
    expect(() => decode(only(bytes))).toThrow(Malformed);
  });
});
