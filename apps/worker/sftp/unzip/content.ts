import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createInflateRaw, inflateRaw } from 'node:zlib';
import { Fault } from '#core/errors.ts';
import type { ZipMember } from '#core/ports/zip.ts';
import { exactly, type PartReader, piecesOf } from './pieces.ts';

const inflateWhole = promisify(inflateRaw);

// PKWARE APPNOTE 4.3.7.
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const HAS_DESCRIPTOR = 1 << 3; // the sizes follow the content
const STORED = 0;
const DEFLATED = 8;
const LIKELY_EXTRA_BYTES = 64;
const FIRST_READ_BYTES = 256 * 1024;
// Inflated in one call, which costs a tenth of a stream.
const WHOLE_PACKED_BYTES = 64 * 1024;
const WHOLE_BYTES = 1024 * 1024;
const NO_BYTES = Buffer.alloc(0);

export interface Content {
  readonly file: PartReader;
  readonly member: ZipMember;
  /** Where the next member starts. */
  readonly ends_before: number;
}

/**
 * The content as the central directory describes it, or a fault. The last piece comes only once the checksum is right:
 * a reader who knows the size would stop at it, and never see the fault.
 */
export async function* contentOf(content: Content): AsyncGenerator<Uint8Array> {
  const { size, crc } = content.member;
  let [length, sum] = [0, 0];
  let held: Uint8Array | undefined;
  for await (const bytes of unpacked(content)) {
    length += bytes.length;
    if (length > size) throw damaged('is larger than the archive says');
    sum = crc32(bytes, sum);
    if (held) yield held;
    held = bytes;
  }
  if (length < size) throw damaged('is shorter than the archive says');
  if (sum !== crc) throw damaged('has another checksum than the archive says');
  if (held) yield held;
}

async function* unpacked(content: Content): AsyncGenerator<Uint8Array> {
  const { member } = content;
  if (member.is_encrypted) throw new Fault('member_encrypted');
  if (member.method !== STORED && member.method !== DEFLATED) throw new Fault('member_method');
  if (member.method === STORED) return yield* packedPieces(content);
  try {
    if (member.compressed_size <= WHOLE_PACKED_BYTES && member.size <= WHOLE_BYTES) {
      yield await inflatedWhole(content);
    } else {
      yield* inflated(packedPieces(content));
    }
  } catch (cause) {
    throw cause instanceof Fault ? cause : damaged('cannot be decompressed', cause);
  }
}

async function inflatedWhole(content: Content): Promise<Uint8Array> {
  const packed: Uint8Array[] = [];
  for await (const bytes of packedPieces(content)) packed.push(bytes);
  const maxOutputLength = Math.max(1, content.member.size); // beyond, it is damaged
  return inflateWhole(Buffer.concat(packed), { maxOutputLength });
}

/** Off the event loop; inflates no more than the consumer takes. */
async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 });
  pipeline(Readable.from(packed), inflate, () => {}); // a failure destroys `inflate`, which the loop reports
  for await (const bytes of inflate) yield bytes;
}

/** The first read takes the local header and, for a small member, its content. */
async function* packedPieces({ file, member, ends_before }: Content): AsyncGenerator<Uint8Array> {
  const { offset, compressed_size, stored_name } = member;
  const head_bytes = LOCAL_BYTES + stored_name.length;
  const room = ends_before - offset;
  if (room < head_bytes + compressed_size) throw damaged('overlaps the next one');
  const likely = head_bytes + LIKELY_EXTRA_BYTES + compressed_size;
  const first = await exactly(file, { start: offset, length: Math.min(room, likely, FIRST_READ_BYTES) });
  const data_at = localHeaderBytes(first, member);
  if (data_at + compressed_size > room) throw damaged('overlaps the next one');
  const begun = data_at < first.length ? first.subarray(data_at, data_at + compressed_size) : NO_BYTES;
  if (begun.length > 0) yield begun;
  const start = offset + data_at + begun.length;
  yield* piecesOf(file, { start, length: compressed_size - begun.length });
}

/** The length of the local header, which must describe the same member. */
function localHeaderBytes(bytes: Buffer, member: ZipMember): number {
  const { stored_name, method } = member;
  if (bytes.readUInt32LE(0) !== LOCAL) throw damaged('is not where the archive says');
  const name_bytes = bytes.readUInt16LE(26);
  const name = bytes.subarray(LOCAL_BYTES, LOCAL_BYTES + name_bytes);
  const is_same_name = name_bytes === stored_name.length && crc32(name) === stored_name.crc;
  if (!is_same_name || bytes.readUInt16LE(8) !== method || !hasSameSums(bytes, member)) {
    throw damaged('is described in two different ways');
  }
  return LOCAL_BYTES + name_bytes + bytes.readUInt16LE(28);
}

const IN_ZIP64 = 0xffff_ffff;

function hasSameSums(bytes: Buffer, { crc, size, compressed_size }: ZipMember): boolean {
  if ((bytes.readUInt16LE(6) & HAS_DESCRIPTOR) !== 0) return true; // the content is measured anyway
  const isSame = (plain: number, wanted: number) => plain === wanted || plain === IN_ZIP64;
  return (
    bytes.readUInt32LE(14) === crc &&
    isSame(bytes.readUInt32LE(18), compressed_size) &&
    isSame(bytes.readUInt32LE(22), size)
  );
}

function damaged(what: string, cause?: unknown): Fault {
  return new Fault('archive_damaged', `The archive is damaged: this member ${what}`, { cause });
}
