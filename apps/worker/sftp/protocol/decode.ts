import { Fault } from '#core/errors.ts';
import { nameFromBytes, namesFromBytes, pathOf } from '#core/lib/paths/path-bytes.ts';
import type { Stats } from './attributes.ts';
import { lengthOf, type Pieces } from './pieces.ts';
import type { Reply } from './replies.ts';
import {
  ATTR_EXTENDED,
  ATTR_MODE,
  ATTR_OWNER,
  ATTR_SIZE,
  ATTR_TIMES,
  ATTRS,
  DATA,
  EXTENDED_REPLY,
  HANDLE,
  MAX_PATH_BYTES,
  NAME,
  STATUS,
  STATUS_EOF,
  STATUS_OK,
  VERSION,
} from './wire.ts';

const ST_RDONLY = 1; // the lowest bit of `flag` (OpenSSH, PROTOCOL §3.4)
const MAX_HANDLE_BYTES = 256; // draft-ietf-secsh-filexfer-02 §6.2
const MAX_LINE_BYTES = 1024;
const MAX_MESSAGE_BYTES = 1024;
const SHOWN_BYTES = 250; // of a name that is too long

export interface NamedEntry {
  /** Spelled as in `path-bytes.ts`; a name that is too long is cut. */
  readonly filename: string;
  readonly is_whole: boolean;
  /** The line of `ls -l`; its form is up to the host. */
  readonly line: string;
  readonly attrs: Stats;
}

/** The server violated the protocol; nothing it sends from here on can be trusted. */
export class Malformed extends Error {}

/** Reads the fields of a packet in order; throws a RangeError past its end. */
function createReader(bytes: Buffer) {
  let at = 0;
  const u32 = () => {
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const u64 = () => u32() * 0x1_0000_0000 + u32();
  const string = () => {
    const length = u32();
    if (length > bytes.length - at) throw new RangeError('A string runs past the end of its packet');
    at += length;
    return bytes.subarray(at - length, at);
  };
  return { u32, u64, string, left: () => bytes.length - at };
}

type Reader = ReturnType<typeof createReader>;

function read<T>(reply: Reply, type: number, take: (reader: Reader) => T): T {
  try {
    if (reply.type === STATUS) throw statusError(createReader(reply.body));
    if (reply.type !== type) throw new Malformed(`A reply of type ${reply.type} instead of ${type}`);
    return take(createReader(reply.body));
  } catch (error) {
    if (error instanceof RangeError)
      throw new Malformed('The packet is shorter than its fields', { cause: error });
    throw error;
  }
}

function statusError(reader: Reader): Error {
  const code = reader.u32();
  if (code === STATUS_OK) return new Malformed('OK instead of a reply');
  const message = reader.left() > 0 ? reader.string().subarray(0, MAX_MESSAGE_BYTES).toString() : ''; // some servers omit it
  return Object.assign(new Error(message || `Status ${code}`), { code });
}

export function toNothing(reply: Reply): void {
  if (reply.type === STATUS && reply.body.length >= 4 && reply.body.readUInt32BE(0) === STATUS_OK) return;
  read(reply, STATUS, () => undefined);
}

export const toHandle = (reply: Reply) =>
  read(reply, HANDLE, ({ string }) => {
    const handle = string();
    if (handle.length > MAX_HANDLE_BYTES) throw new Malformed('A handle that is too long');
    return handle;
  });

export const toStats = (reply: Reply) => read(reply, ATTRS, takeAttributes);

/** Undefined at the end of a directory. */
export const toEntries = (reply: Reply) => atEnd(reply, undefined, () => toNames(reply, nameFromBytes));

export const toPath = (reply: Reply): string => pathOf(toLinkTarget(reply));

/** Absolute or relative; names joined with slashes. */
export function toLinkTarget(reply: Reply): string {
  const [first] = toNames(reply, namesFromBytes);
  if (first === undefined) throw new Malformed('A reply without a name');
  if (!first.is_whole) throw new Fault('unaddressable_name');
  return first.filename;
}

/** Empty at the end of a file. */
export function toPieces(reply: Reply, asked_bytes: number): Pieces {
  if (reply.type === DATA && lengthOf(reply.pieces) > asked_bytes)
    throw new Malformed('More data than requested');
  if (reply.type === DATA) return reply.pieces;
  return atEnd(reply, [], () => read(reply, DATA, () => []));
}

export const toSpace = (reply: Reply): MountedSpace =>
  read(reply, EXTENDED_REPLY, ({ u64 }) => {
    const [, frsize = 0, blocks = 0, bfree = 0, bavail = 0, files = 0, , favail = 0, , flag = 0] = Array.from(
      { length: 11 },
      u64,
    );
    const space = toDiskSpace({ frsize, blocks, bfree, bavail, files, favail });
    return flag % 2 === ST_RDONLY ? { ...space, is_read_only: true } : space;
  });

/** For `limits@openssh.com`; 0 means no limit. */
export const toLimits = (reply: Reply) =>
  read(reply, EXTENDED_REPLY, ({ u64 }) => {
    const [, read_bytes = 0, write_bytes = 0] = Array.from({ length: 4 }, u64);
    return { read_bytes, write_bytes };
  });

/** Protocol extensions of the server: names and versions. */
export function toExtensions(body: Buffer): ReadonlyMap<string, string> {
  return read({ type: VERSION, body, pieces: [] }, VERSION, (reader) => {
    const extensions = new Map<string, string>();
    while (reader.left() > 0) extensions.set(reader.string().toString(), reader.string().toString());
    return extensions;
  });
}

function toNames(reply: Reply, decode: (bytes: Uint8Array) => string): NamedEntry[] {
  return read(reply, NAME, (reader) => {
    const entries: NamedEntry[] = [];
    for (let left = reader.u32(); left > 0; left -= 1) {
      const name = reader.string();
      const is_whole = name.length <= MAX_PATH_BYTES;
      const filename = is_whole ? decode(name) : beginningOf(name);
      const line = reader.string().subarray(0, MAX_LINE_BYTES).toString('latin1');
      entries.push({ filename, is_whole, line, attrs: takeAttributes(reader) });
    }
    return entries;
  });
}

function beginningOf(name: Buffer): string {
  return `${new TextDecoder().decode(name.subarray(0, SHOWN_BYTES), { stream: true })}…`;
}

function atEnd<T>(reply: Reply, none: T, take: () => T): T {
  const is_end = reply.type === STATUS && reply.body.length >= 4 && reply.body.readUInt32BE(0) === STATUS_EOF;
  return is_end ? none : take();
}

/** 0 for missing fields. */
function takeAttributes({ u32, u64, string }: Reader): Stats {
  const flags = u32();
  const size = flags & ATTR_SIZE ? u64() : 0;
  if (!Number.isSafeInteger(size)) throw new Malformed(`A size of ${size}`);
  const [uid, gid] = flags & ATTR_OWNER ? [u32(), u32()] : [0, 0];
  const mode = flags & ATTR_MODE ? u32() : 0;
  const [atime, mtime] = flags & ATTR_TIMES ? [u32(), u32()] : [0, 0];
  if (flags & ATTR_EXTENDED) {
    for (let left = u32(); left > 0; left -= 1) {
      string();
      string();
    }
  }
  return { size, uid, gid, mode, atime, mtime };
}

/** Space of a file system that an unprivileged account may use. */
export interface DiskSpace {
  readonly total_bytes: number;
  readonly free_bytes: number;
  /** 0 where files are not counted. */
  readonly total_files: number;
  /** Infinite where files are not counted. */
  readonly free_files: number;
}

/** Adds the flags of the file system that `statvfs@openssh.com` reports. */
export interface MountedSpace extends DiskSpace {
  readonly is_read_only?: true;
}

/** Fields of `statvfs@openssh.com`, as in statvfs(3). */
export interface StatVfs {
  readonly frsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
  readonly files: number;
  readonly favail: number;
}

/** Without the blocks that only root may use, as `df` counts. */
export function toDiskSpace({ frsize, blocks, bfree, bavail, files, favail }: StatVfs): DiskSpace {
  return {
    total_bytes: frsize * Math.max(0, blocks - bfree + bavail),
    free_bytes: frsize * bavail,
    total_files: files,
    free_files: files === 0 ? Number.POSITIVE_INFINITY : favail,
  };
}
