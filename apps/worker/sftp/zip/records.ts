// Encodes the records of PKWARE's APPNOTE 6.3.10; comments name the sections.

export const STORED = 0 as const;
export const DEFLATED = 8 as const;
export type ZipMethod = typeof STORED | typeof DEFLATED;

const UINT16_MAX = 0xffff;
const UINT32_MAX = 0xffff_ffff;
const MADE_BY_UNIX = 3 << 8;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const FLAG_DESCRIPTOR = 1 << 3;
const FLAG_UTF8 = 1 << 11;
const EXTRA_ZIP64 = 0x0001;
const EXTRA_TIMESTAMP = 0x5455;
const MS_DOS_DIRECTORY = 0x10;
const UNIX_DIRECTORY = 0o040000;
const UNIX_FILE = 0o100000;

/** What is known about a member before its content. */
export interface MemberHead {
  /** A directory ends with a slash. */
  readonly name: Uint8Array;
  readonly is_directory: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly modified: Date;
  readonly method: ZipMethod;
  /** Sizes and checksum are written after the content. */
  readonly is_streamed: boolean;
  /** The size may be 4 GiB or more. */
  readonly is_large: boolean;
}

export interface MemberSizes {
  readonly crc: number;
  readonly size: number;
  readonly packed_size: number;
}

export interface MemberRecord extends MemberHead, MemberSizes {
  readonly offset: number;
}

/** §4.3.7 */
export function localHeader(head: MemberHead, { crc, size, packed_size }: MemberSizes): Buffer {
  const extra = Buffer.concat([head.is_large ? zip64Extra([size, packed_size]) : NOTHING, timestamp(head)]);
  const bytes = Buffer.alloc(30);
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(versionOf(head.is_large), 4);
  writeCommon(bytes, 6, head);
  bytes.writeUInt32LE(crc, 14);
  bytes.writeUInt32LE(head.is_large ? UINT32_MAX : packed_size, 18);
  bytes.writeUInt32LE(head.is_large ? UINT32_MAX : size, 22);
  bytes.writeUInt16LE(head.name.length, 26);
  bytes.writeUInt16LE(extra.length, 28);
  return Buffer.concat([bytes, head.name, extra]);
}

/** §4.3.9, with the signature that most programs write. */
export function dataDescriptor({ is_large }: Pick<MemberHead, 'is_large'>, sizes: MemberSizes): Buffer {
  const bytes = Buffer.alloc(is_large ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(sizes.crc, 4);
  if (is_large) {
    bytes.writeBigUInt64LE(BigInt(sizes.packed_size), 8);
    bytes.writeBigUInt64LE(BigInt(sizes.size), 16);
  } else {
    bytes.writeUInt32LE(sizes.packed_size, 8);
    bytes.writeUInt32LE(sizes.size, 12);
  }
  return bytes;
}

/** §4.3.12 */
export function centralHeader(record: MemberRecord): Buffer {
  const { size, packed_size, offset, mode, is_directory } = record;
  const beyond = [size, packed_size, offset].filter((value) => value >= UINT32_MAX);
  const extra = Buffer.concat([beyond.length > 0 ? zip64Extra(beyond) : NOTHING, timestamp(record)]);
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x02014b50, 0);
  const version = versionOf(record.is_large || beyond.length > 0);
  bytes.writeUInt16LE(MADE_BY_UNIX | version, 4);
  bytes.writeUInt16LE(version, 6);
  writeCommon(bytes, 8, record);
  bytes.writeUInt32LE(record.crc, 16);
  bytes.writeUInt32LE(Math.min(packed_size, UINT32_MAX), 20);
  bytes.writeUInt32LE(Math.min(size, UINT32_MAX), 24);
  bytes.writeUInt16LE(record.name.length, 28);
  bytes.writeUInt16LE(extra.length, 30);
  const unix = (is_directory ? UNIX_DIRECTORY : UNIX_FILE) | mode;
  bytes.writeUInt32LE(unix * 0x1_0000 + (is_directory ? MS_DOS_DIRECTORY : 0), 38);
  bytes.writeUInt32LE(Math.min(offset, UINT32_MAX), 42);
  return Buffer.concat([bytes, record.name, extra]);
}

export interface CentralDirectory {
  readonly entries: number;
  readonly size: number;
  readonly offset: number;
}

/** §4.3.14 to §4.3.16 */
export function endRecords({ entries, size, offset }: CentralDirectory): Buffer {
  const is_large = entries >= UINT16_MAX || size >= UINT32_MAX || offset >= UINT32_MAX;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entries, UINT16_MAX), 8);
  end.writeUInt16LE(Math.min(entries, UINT16_MAX), 10);
  end.writeUInt32LE(Math.min(size, UINT32_MAX), 12);
  end.writeUInt32LE(Math.min(offset, UINT32_MAX), 16);
  return is_large ? Buffer.concat([zip64End({ entries, size, offset }), end]) : end;
}

function zip64End({ entries, size, offset }: CentralDirectory): Buffer {
  const bytes = Buffer.alloc(56 + 20);
  bytes.writeUInt32LE(0x06064b50, 0);
  bytes.writeBigUInt64LE(44n, 4); // size of the rest of this record
  bytes.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 12);
  bytes.writeUInt16LE(VERSION_ZIP64, 14);
  bytes.writeBigUInt64LE(BigInt(entries), 24);
  bytes.writeBigUInt64LE(BigInt(entries), 32);
  bytes.writeBigUInt64LE(BigInt(size), 40);
  bytes.writeBigUInt64LE(BigInt(offset), 48);
  bytes.writeUInt32LE(0x07064b50, 56); // locator
  bytes.writeBigUInt64LE(BigInt(offset + size), 64);
  bytes.writeUInt32LE(1, 72);
  return bytes;
}

const NOTHING = Buffer.alloc(0);

function versionOf(is_large: boolean): number {
  return is_large ? VERSION_ZIP64 : VERSION;
}

/** Flags, method, time and date: the same in local and central headers. */
function writeCommon(bytes: Buffer, at: number, { is_streamed, method, modified }: MemberHead): void {
  const { time, date } = toDosTime(modified);
  bytes.writeUInt16LE(FLAG_UTF8 | (is_streamed ? FLAG_DESCRIPTOR : 0), at);
  bytes.writeUInt16LE(method, at + 2);
  bytes.writeUInt16LE(time, at + 4);
  bytes.writeUInt16LE(date, at + 6);
}

/** §4.5.3 */
function zip64Extra(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + values.length * 8);
  bytes.writeUInt16LE(EXTRA_ZIP64, 0);
  bytes.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return bytes;
}

/** Info-ZIP's extended timestamp, since DOS time has no zone and no odd seconds. It ends in 2038. */
function timestamp({ modified }: Pick<MemberHead, 'modified'>): Buffer {
  const seconds = Math.floor(modified.getTime() / 1000);
  if (seconds > 0x7fff_ffff || seconds < 0) return NOTHING;
  const bytes = Buffer.alloc(9);
  bytes.writeUInt16LE(EXTRA_TIMESTAMP, 0);
  bytes.writeUInt16LE(5, 2);
  bytes.writeUInt8(1, 4); // modification time only
  bytes.writeInt32LE(seconds, 5);
  return bytes;
}

/** In UTC, from 1980 to 2107. */
function toDosTime(when: Date): { time: number; date: number } {
  const year = when.getUTCFullYear();
  if (year < 1980) return { time: 0, date: (1 << 5) | 1 };
  if (year > 2107) return { time: (23 << 11) | (59 << 5) | 29, date: (127 << 9) | (12 << 5) | 31 };
  const time = (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1);
  return { time, date: ((year - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate() };
}
