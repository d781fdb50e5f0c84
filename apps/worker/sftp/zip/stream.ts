import { crc32 } from 'node:zlib';
import { deflated, methodFor } from './compress.ts';
import {
  centralHeader,
  DEFLATED,
  dataDescriptor,
  endRecords,
  localHeader,
  type MemberHead,
  type MemberRecord,
  type MemberSizes,
  STORED,
  type ZipMethod,
} from './records.ts';

export interface ZipEntry {
  readonly name: string;
  readonly mode: number;
  readonly modified: Date;
}

export type ZipMember =
  | (ZipEntry & { readonly kind: 'directory' })
  | (ZipEntry & {
      readonly kind: 'whole';
      readonly method: ZipMethod;
      /** The bytes to write, compressed or not. */
      readonly bytes: Uint8Array;
      readonly size: number;
      readonly crc: number;
    })
  | (ZipEntry & {
      readonly kind: 'stream';
      /** Decides between plain and ZIP64 sizes; content beyond what the format allows is cut off. */
      readonly expected_size: number;
      readonly pieces: AsyncIterable<Uint8Array>;
    });

// Smaller members use four-byte sizes; they may grow while read, or not compress at all.
const LARGE_BYTES = 2 ** 31;
const MAX_PLAIN_BYTES = 0xf000_0000;

/** The bytes of the archive; requests each member after the previous one is written. */
export async function* zipBytes(members: AsyncIterable<ZipMember>): AsyncGenerator<Uint8Array> {
  const central = createCentral();
  let offset = 0;
  for await (const member of members) {
    const record = yield* member.kind === 'stream' ? streamed(member) : known(member);
    central.add({ ...record, offset });
    offset += record.length;
  }
  yield* central.finish(offset);
}

interface Written extends MemberHead, MemberSizes {
  /** All bytes of the member in the archive, headers included. */
  readonly length: number;
}

const NO_CONTENT = { crc: 0, size: 0, packed_size: 0 };
const NO_BYTES = Buffer.alloc(0);

async function* known(member: Exclude<ZipMember, { kind: 'stream' }>): AsyncGenerator<Uint8Array, Written> {
  const is_directory = member.kind === 'directory';
  const { method, bytes, size, crc } = is_directory
    ? { method: STORED, bytes: NO_BYTES, ...NO_CONTENT }
    : member;
  const head = { ...headOf(member), method, is_streamed: false, is_large: false };
  const sizes = { crc, size, packed_size: bytes.length };
  const header = localHeader(head, sizes);
  yield header;
  if (bytes.length > 0) yield bytes;
  return { ...head, ...sizes, length: header.length + bytes.length };
}

async function* streamed(
  member: Extract<ZipMember, { kind: 'stream' }>,
): AsyncGenerator<Uint8Array, Written> {
  const is_large = member.expected_size >= LARGE_BYTES;
  const tally = createTally(member.pieces, is_large ? Number.POSITIVE_INFINITY : MAX_PLAIN_BYTES);
  const pieces = tally.pieces();
  try {
    const first = await pieces.next();
    const method = first.done ? STORED : await methodFor(member.name, first.value);
    const head = { ...headOf(member), method, is_streamed: true, is_large };
    const header = localHeader(head, NO_CONTENT);
    yield header;
    const whole = first.done ? pieces : startingWith(first.value, pieces);
    const packed_size = yield* counted(method === DEFLATED ? deflated(whole) : whole);
    const sizes = { ...tally.sum(), packed_size };
    const descriptor = dataDescriptor(head, sizes);
    yield descriptor;
    return { ...head, ...sizes, length: header.length + packed_size + descriptor.length };
  } finally {
    await pieces.return(undefined);
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, number> {
  let length = 0;
  for await (const bytes of pieces) {
    length += bytes.length;
    yield bytes;
  }
  return length;
}

function headOf({ kind, name, mode, modified }: ZipMember) {
  const is_directory = kind === 'directory';
  const spelled = is_directory ? `${name}/` : name;
  return { name: Buffer.from(spelled), is_directory, mode: mode & 0o777, modified };
}

/** Measures size and checksum of the content that passes through. */
function createTally(source: AsyncIterable<Uint8Array>, limit_bytes: number) {
  let size = 0;
  let crc = 0;
  return {
    sum: () => ({ size, crc }),
    async *pieces(): AsyncGenerator<Uint8Array> {
      for await (const bytes of source) {
        if (size + bytes.length > limit_bytes) return;
        size += bytes.length;
        crc = crc32(bytes, crc);
        yield bytes;
      }
    },
  };
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

const BLOCK_BYTES = 64 * 1024;

/** The central directory, encoded at once to keep memory at about a hundred bytes per member. */
function createCentral() {
  const blocks: Uint8Array[] = [];
  let open: Buffer[] = [];
  let open_bytes = 0;
  let entries = 0;
  let size = 0;
  function closeBlock(): void {
    blocks.push(Buffer.concat(open));
    open = [];
    open_bytes = 0;
  }
  return {
    add(record: MemberRecord): void {
      const header = centralHeader(record);
      entries += 1;
      size += header.length;
      open.push(header);
      open_bytes += header.length;
      if (open_bytes >= BLOCK_BYTES) closeBlock();
    },
    *finish(offset: number): Generator<Uint8Array> {
      closeBlock();
      yield* blocks;
      yield endRecords({ entries, size, offset });
    },
  };
}
