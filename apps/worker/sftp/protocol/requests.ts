import { namesToBytes } from '#core/lib/paths/path-bytes.ts';
import type { Stats } from './attributes.ts';
import {
  type MountedSpace,
  type NamedEntry,
  toEntries,
  toHandle,
  toLinkTarget,
  toNothing,
  toPath,
  toPieces,
  toSpace,
  toStats,
} from './decode.ts';
import { attributes, pathBytes, type Settable, text, u32, u64 } from './encode.ts';
import type { Sendable } from './exchange.ts';
import type { Pieces, SentOnce } from './pieces.ts';
import type { Reply } from './replies.ts';
import { sftpFault } from './status.ts';
import * as wire from './wire.ts';

/** An open file or directory on the server. */
export type Handle = Buffer;

/** Read; read and write; write; empty and write; create a file that must not exist yet. */
export type OpenFlags = keyof typeof wire.OPEN_FLAGS;

/** Sends a request and decodes its reply; `late` disposes of a reply that arrives after the call has failed. */
export type Ask = <T>(request: Request<T>) => Promise<T>;

export interface Request<T> extends Sendable {
  readonly decode: (reply: Reply) => T;
  readonly late?: (value: T) => void;
}

export interface Offered {
  readonly extensions: ReadonlyMap<string, string>;
  readonly max_bytes: number;
}

export interface Requests {
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  /** Names joined with slashes, not a path. */
  readlink(path: string): Promise<string>;
  opendir(path: string): Promise<Handle>;
  /** The next entries, without `.` and `..`; undefined at the end. */
  readdir(handle: Handle): Promise<NamedEntry[] | undefined>;
  /** For reading by default; the server's umask applies to `mode`. */
  open(path: string, flags?: OpenFlags, mode?: number): Promise<Handle>;
  fstat(handle: Handle): Promise<Stats>;
  /** Fewer bytes than requested are a short read; none mean the end of the file. */
  read(handle: Handle, position: number, length: number): Promise<Uint8Array>;
  /** The same in `room`, or in pieces as they arrived, which saves a copy. After a failure, `room` must not be used again. */
  readPieces(handle: Handle, position: number, length: number, room?: Uint8Array): Promise<Pieces>;
  /** Writes all bytes or fails; the caller must not change them until it settles. */
  write(handle: Handle, position: number, content: SentOnce): Promise<void>;
  close(handle: Handle): Promise<void>;
  /** Follows a link. */
  setstat(path: string, attributes: Settable): Promise<void>;
  fsetstat(handle: Handle, attributes: Settable): Promise<void>;
  /** Writes the file to the disk; fails with `isUnsupported` without `fsync@openssh.com`. */
  fsync(handle: Handle): Promise<void>;
  /** Copies bytes on the host, to the same position; fails with `isUnsupported` without `copy-data`. */
  copyData(from: Handle, to: Handle, range: { position: number; length: number }): Promise<void>;
  /** Never follows a link; fails with `isUnsupported` without `lsetstat@openssh.com`. */
  lsetstat(path: string, attributes: Settable): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  /** The request of version 3, which never replaces an existing `to`. */
  rename(from: string, to: string): Promise<void>;
  /** Creates a link; `target` is names joined with slashes, as `readlink` returns it. */
  symlink(path: string, target: string): Promise<void>;
  /** Replaces `to`; fails with `isUnsupported` without `posix-rename@openssh.com`. */
  posixRename(from: string, to: string): Promise<void>;
  /** Space of the file system that holds the path; fails with `isUnsupported` without `statvfs@openssh.com`. */
  statvfs(path: string): Promise<MountedSpace>;
}

const LSETSTAT = 'lsetstat@openssh.com';
const POSIX_RENAME = 'posix-rename@openssh.com';
const STATVFS = 'statvfs@openssh.com';
const FSYNC = 'fsync@openssh.com';
const COPY_DATA = 'copy-data';

export function createRequests(ask: Ask, offered: Offered): Requests {
  return {
    ...createQuestions(ask, offered),
    ...createHandleRequests(ask, offered),
    ...createChanges(ask, offered),
  };
}

function createQuestions(
  ask: Ask,
  { extensions }: Offered,
): Pick<Requests, 'realpath' | 'stat' | 'lstat' | 'readlink' | 'statvfs'> {
  const about = (type: number, path: string) => ({ type, fields: [text(pathBytes(path))] });
  return {
    realpath: (path: string) => ask({ ...about(wire.REALPATH, path), decode: toPath }),
    stat: (path: string) => ask({ ...about(wire.STAT, path), decode: toStats }),
    lstat: (path: string) => ask({ ...about(wire.LSTAT, path), decode: toStats }),
    readlink: (path: string) => ask({ ...about(wire.READLINK, path), decode: toLinkTarget }),
    async statvfs(path: string) {
      assertOffered(extensions, STATVFS);
      return ask({ type: wire.EXTENDED, fields: [text(STATVFS), text(pathBytes(path))], decode: toSpace });
    },
  };
}

function createHandleRequests(ask: Ask, { max_bytes, extensions }: Offered) {
  const change = (type: number, fields: readonly Uint8Array[]) => ask({ type, fields, decode: toNothing });
  const open = (type: number, fields: readonly Uint8Array[]) =>
    ask({ type, fields, decode: toHandle, late: (handle) => void close(handle).catch(ignore) });
  const close = (handle: Handle) => change(wire.CLOSE, [text(handle)]);
  function readPieces(handle: Handle, position: number, length: number, room?: Uint8Array) {
    const bytes = Math.min(length, max_bytes);
    return ask({
      type: wire.READ,
      fields: [text(handle), u64(position), u32(bytes)],
      decode: (reply) => toPieces(reply, bytes),
      room,
    });
  }
  return {
    close,
    opendir: (path: string) => open(wire.OPENDIR, [text(pathBytes(path))]),
    open: (path: string, flags: OpenFlags = 'r', mode = 0o666) =>
      open(wire.OPEN, [
        text(pathBytes(path)),
        u32(wire.OPEN_FLAGS[flags]),
        attributes(flags === 'wx' ? { mode } : {}),
      ]),
    fstat: (handle: Handle) => ask({ type: wire.FSTAT, fields: [text(handle)], decode: toStats }),
    fsetstat: (handle: Handle, wanted: Settable) => change(wire.FSETSTAT, [text(handle), attributes(wanted)]),
    async fsync(handle: Handle) {
      assertOffered(extensions, FSYNC);
      await change(wire.EXTENDED, [text(FSYNC), text(handle)]);
    },
    async copyData(from: Handle, to: Handle, { position, length }: { position: number; length: number }) {
      assertOffered(extensions, COPY_DATA);
      const [at, size] = [u64(position), u64(length)];
      await change(wire.EXTENDED, [text(COPY_DATA), text(from), at, size, text(to), at]);
    },
    async readdir(handle: Handle) {
      const entries = await ask({ type: wire.READDIR, fields: [text(handle)], decode: toEntries });
      return entries?.filter(({ filename }) => filename !== '.' && filename !== '..');
    },
    readPieces,
    async read(handle: Handle, position: number, length: number) {
      const pieces = await readPieces(handle, position, length);
      return Buffer.concat(pieces);
    },
    write: (handle: Handle, position: number, content: SentOnce) =>
      ask({
        type: wire.WRITE,
        fields: [text(handle), u64(position), u32(content.bytes)],
        content,
        decode: toNothing,
      }),
  };
}

function createChanges(ask: Ask, { extensions }: Offered) {
  const change = (type: number, ...fields: readonly Uint8Array[]) => ask({ type, fields, decode: toNothing });
  const is_openssh = [...extensions.keys()].some((name) => name.endsWith('@openssh.com'));
  const inOrder = (link: Buffer, target: Buffer) => (is_openssh ? [target, link] : [link, target]);
  return {
    setstat: (path: string, wanted: Settable) =>
      change(wire.SETSTAT, text(pathBytes(path)), attributes(wanted)),
    async lsetstat(path: string, wanted: Settable) {
      assertOffered(extensions, LSETSTAT);
      await change(wire.EXTENDED, text(LSETSTAT), text(pathBytes(path)), attributes(wanted));
    },
    unlink: (path: string) => change(wire.REMOVE, text(pathBytes(path))),
    mkdir: (path: string) => change(wire.MKDIR, text(pathBytes(path)), attributes({})),
    rmdir: (path: string) => change(wire.RMDIR, text(pathBytes(path))),
    rename: (from: string, to: string) => change(wire.RENAME, text(pathBytes(from)), text(pathBytes(to))),
    // OpenSSH takes them the wrong way round (PROTOCOL §4.1), as does what imitates it.
    symlink: (path: string, target: string) =>
      change(wire.SYMLINK, ...inOrder(text(pathBytes(path)), text(namesToBytes(target)))),
    async posixRename(from: string, to: string) {
      assertOffered(extensions, POSIX_RENAME);
      await change(wire.EXTENDED, text(POSIX_RENAME), text(pathBytes(from)), text(pathBytes(to)));
    },
  };
}

/** Fails as the server itself would. */
function assertOffered(extensions: ReadonlyMap<string, string>, name: string): void {
  if (extensions.has(name)) return;
  throw sftpFault(Object.assign(new Error(`No ${name}`), { code: wire.STATUS_UNSUPPORTED }));
}

const ignore = () => {};
