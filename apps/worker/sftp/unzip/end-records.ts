import { Fault } from '#core/errors.ts';
import type { RemoteFile } from '#core/ports/files.ts';
import { type Extent, exactly } from './pieces.ts';

// PKWARE APPNOTE 4.3.14 to 4.3.16.
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const END64 = 0x06064b50;
const END64_BYTES = 56;

export interface CentralDirectory extends Extent {
  /** Number of members; modulo 65,536 without ZIP64. */
  readonly count: number;
  /** What precedes the archive in the file, such as the program of a self-extracting one. */
  readonly prefix_bytes: number;
}

type ZipFile = Pick<RemoteFile, 'stat' | 'readPart'>;

/** Throws `archive_unreadable` for a file that is not a ZIP archive. */
export async function findCentralDirectory(file: ZipFile): Promise<CentralDirectory> {
  const { size } = file.stat;
  const tail_start = Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES - LOCATOR_BYTES);
  const tail = await exactly(file, { start: tail_start, length: size - tail_start });
  const at = endRecordIn(tail);
  if (at === undefined) throw new Fault('archive_unreadable');
  const plain = {
    disks: Math.max(tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)),
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  };
  const large =
    at >= LOCATOR_BYTES ? await readEnd64(file, tail.subarray(at - LOCATOR_BYTES, at)) : undefined;
  return placed(large ?? { ...plain, end: tail_start + at });
}

interface EndRecord {
  readonly disks: number;
  readonly count: number;
  readonly length: number;
  /** Where the central directory starts, counted from the start of the archive. */
  readonly offset: number;
  /** Where the record itself starts in the file: right behind the central directory. */
  readonly end: number;
}

function placed({ disks, count, length, offset, end }: EndRecord): CentralDirectory {
  if (disks !== 0) throw new Fault('archive_unreadable', 'The archive is split over several files');
  const start = end - length;
  const prefix_bytes = start - offset;
  if (start < 0 || prefix_bytes < 0) throw new Fault('archive_damaged', 'The archive has no directory');
  return { start, length, count, prefix_bytes };
}

/** The last record whose comment ends with the file; none in a file with something behind the archive. */
function endRecordIn(tail: Buffer): number | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END) continue;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  return undefined;
}

async function readEnd64(file: ZipFile, locator: Buffer): Promise<EndRecord | undefined> {
  if (locator.readUInt32LE(0) !== LOCATOR) return undefined;
  const end = Number(locator.readBigUInt64LE(8));
  if (end + END64_BYTES > file.stat.size) throw new Fault('archive_damaged', 'The archive has no directory');
  const record = await exactly(file, { start: end, length: END64_BYTES });
  if (record.readUInt32LE(0) !== END64) {
    throw new Fault('archive_unreadable', 'The file has something in front of a large archive');
  }
  return {
    disks: Math.max(record.readUInt32LE(16), record.readUInt32LE(20)),
    count: Number(record.readBigUInt64LE(32)),
    length: Number(record.readBigUInt64LE(40)),
    offset: Number(record.readBigUInt64LE(48)),
    end,
  };
}
