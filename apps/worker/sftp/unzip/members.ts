import { crc32 } from 'node:zlib';
import { Fault } from '#core/errors.ts';
import { namesFromBytes } from '#core/lib/paths/path-bytes.ts';
import { MAX_MEMBER_NAME_BYTES } from '#core/limits.ts';
import type { FileKind } from '#core/ports/files.ts';
import type { ZipMember } from '#core/ports/zip.ts';
import { kindOf } from '../protocol/attributes.ts';
import type { Header } from './header.ts';
import { isMadeOnUnix, statedName } from './names.ts';

// PKWARE APPNOTE 4.3.12.
const CENTRAL = 0x02014b50;
export const CENTRAL_BYTES = 46;
const ENCRYPTED = 1 | (1 << 6) | (1 << 13); // also the strong kind, and a masked directory
const DOS_DIRECTORY = 0x10;
const EXTRA_ZIP64 = 0x0001;
const EXTRA_NTFS = 0x000a;
const EXTRA_TIMESTAMP = 0x5455;
const IN_ZIP64 = 0xffff_ffff;
const FILETIME_OF_1970_MS = 11_644_473_600_000;

/** Undefined when the buffer does not hold the whole header yet. */
export function memberAt(bytes: Buffer, at: number, prefix_bytes: number): Header | undefined {
  if (bytes.length < at + CENTRAL_BYTES) return undefined;
  if (bytes.readUInt32LE(at) !== CENTRAL)
    throw new Fault('archive_damaged', 'The directory of the archive is damaged');
  const [name_bytes, extra_bytes] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)];
  const length = CENTRAL_BYTES + name_bytes + extra_bytes + bytes.readUInt16LE(at + 32);
  assertName(name_bytes);
  if (bytes.length < at + length) return undefined;
  const name_at = at + CENTRAL_BYTES;
  const raw = bytes.subarray(name_at, name_at + name_bytes);
  const extras = extrasIn(bytes.subarray(name_at + name_bytes, name_at + name_bytes + extra_bytes));
  const head = bytes.subarray(at, name_at);
  const stated = statedName({ raw, flags: head.readUInt16LE(8), extras });
  const name = stated ?? namesFromBytes(raw);
  const member = toMember(head, { name, raw, extras, prefix_bytes });
  return { member, length, made_on: head.readUInt8(5), raw, is_stated: stated !== undefined };
}

/** A few thousand longer ones would take seconds, and gigabytes. */
function assertName(length: number): void {
  if (length <= MAX_MEMBER_NAME_BYTES) return;
  throw new Fault('archive_too_large', `The archive has a name of more than ${MAX_MEMBER_NAME_BYTES} bytes`);
}

interface Variable {
  readonly name: string;
  readonly raw: Buffer;
  readonly extras: ReadonlyMap<number, Buffer>;
  readonly prefix_bytes: number;
}

function toMember(head: Buffer, { name, raw, extras, prefix_bytes }: Variable): ZipMember {
  const flags = head.readUInt16LE(8);
  const is_unix = isMadeOnUnix(head.readUInt8(5));
  const attributes = head.readUInt32LE(38);
  const unix_mode = is_unix ? attributes >>> 16 : 0;
  assertName(name.length); // it may come from an extra field
  return {
    name: name.replace(/\/$/, ''),
    kind: kindFrom(unix_mode, name.endsWith('/') || (attributes & DOS_DIRECTORY) !== 0),
    ...sizesIn(head, extras.get(EXTRA_ZIP64), prefix_bytes),
    crc: head.readUInt32LE(16),
    modified: modifiedIn(head, extras),
    mode: (unix_mode & 0o777) === 0 ? undefined : unix_mode & 0o777,
    method: head.readUInt16LE(10),
    is_encrypted: (flags & ENCRYPTED) !== 0,
    stored_name: { length: raw.length, crc: crc32(raw) },
  };
}

/** Many programs leave the type of a file out of the mode. */
function kindFrom(unix_mode: number, is_directory: boolean): FileKind {
  const kind = kindOf({ mode: unix_mode });
  const has_type = unix_mode >> 12 !== 0;
  if (has_type && kind !== 'file') return kind;
  return is_directory ? 'directory' : 'file';
}

/** APPNOTE 4.5.3: only what does not fit into its plain field, in this order. */
function sizesIn(head: Buffer, extra: Buffer | undefined, prefix_bytes: number) {
  let at = 0;
  const read = (plain_at: number): number => {
    const plain = head.readUInt32LE(plain_at);
    if (plain !== IN_ZIP64 || !extra) return plain;
    if (extra.length < at + 8) throw new Fault('archive_damaged', 'The directory of the archive is damaged');
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  };
  const size = read(24);
  const compressed_size = read(20);
  return { size, compressed_size, offset: read(42) + prefix_bytes };
}

function extrasIn(bytes: Buffer): Map<number, Buffer> {
  const extras = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    if (end > bytes.length) break; // some programs pad the field
    extras.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, end));
    at = end;
  }
  return extras;
}

/** In UTC where the archive says so; the plain field has no zone and counts as UTC, too. */
function modifiedIn(head: Buffer, extras: ReadonlyMap<number, Buffer>): string {
  const unix = extras.get(EXTRA_TIMESTAMP);
  if (unix && unix.length >= 5 && ((unix[0] ?? 0) & 1) === 1) return toInstant(unix.readInt32LE(1) * 1000);
  const ntfs = extras.get(EXTRA_NTFS);
  if (ntfs && ntfs.length >= 16 && ntfs.readUInt16LE(4) === 1) {
    return toInstant(Number(ntfs.readBigUInt64LE(8) / 10_000n) - FILETIME_OF_1970_MS);
  }
  const [time, date] = [head.readUInt16LE(12), head.readUInt16LE(14)];
  const [year, month, day] = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31];
  return toInstant(Date.UTC(year, month, day, time >> 11, (time >> 5) & 63, (time & 31) * 2));
}

const LATEST_MS = Date.UTC(9999, 11, 31);

function toInstant(ms: number): string {
  const seconds = Math.floor(Math.min(Math.max(ms, 0), LATEST_MS) / 1000);
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
