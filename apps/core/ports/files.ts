import type { DirectoryEntry } from '../model/files/directory-entry.ts';
import type { SshTarget } from './ssh.ts';
import type { RemoteZip } from './zip.ts';

export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  /** Permission bits with setuid, setgid and sticky: 0 to 0o7777. */
  readonly mode: number;
  /** ISO 8601, whole seconds (SFTP version 3). */
  readonly modified: string;
}

/** Bytes `start` to `end`, both included, as in RFC 9110 §14.1.2. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes in order; the consumer sets the pace. Node streams fit, as do web streams in Node. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** An open remote file; `stream`, `readAll` or `close` ends it. */
export interface RemoteFile {
  readonly stat: FileStat;
  /**
   * Pull-driven, with several READs in flight. Its end, cancellation or error closes the file. With `reuses`, large chunks
   * are borrowed: the last one to use a chunk may give it back (`chunk-memory.ts`).
   */
  stream(range: ByteRange, options?: { readonly reuses?: boolean }): ReadableStream<Uint8Array>;
  /** Ignores the reported size (`/proc`) and closes at the end. Throws `file_too_large` beyond the limit. */
  readAll(limit_bytes: number): Promise<Uint8Array>;
  /** Ignores the reported size, too; fewer bytes only at the end of the file. Leaves the file open. */
  readPart(start: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Whether the file may be missing, or has to be; then it is created. `never` by default. */
  readonly create?: 'never' | 'missing' | 'always';
  /** Mode of a file that is created, minus the host's umask. */
  readonly mode?: number | undefined;
  /** Removes the content of an existing file. */
  readonly is_emptied?: boolean;
}

/** What can be set without changing the content. */
export interface SettableAttributes {
  /** 0 to 0o7777. */
  readonly mode?: number | undefined;
  /** ISO 8601, from 1970 to 2106; whole seconds (SFTP version 3, which sets both or none). */
  readonly times?: { readonly modified: string; readonly accessed: string } | undefined;
}

/** A remote file that is open for writing anywhere; its owner closes it. */
export interface WritableFile {
  /** When it was opened. */
  readonly stat: FileStat;
  /** Resolves when the next write would be sent at once: only so many bytes are in flight. */
  ready(): Promise<void>;
  /**
   * Resolves when the host has accepted all bytes, which nobody may change until then. Beyond the end, the file gets a
   * hole. Several writes may be in flight; they are sent in the order of the calls.
   */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  /** Cuts the file off or extends it with zeros, after all earlier writes. */
  truncate(size: number): Promise<void>;
  setAttributes(attributes: SettableAttributes): Promise<void>;
  /** Writes all earlier writes to the disk; false where the host does not offer that. */
  sync(): Promise<boolean>;
  /** After all earlier writes. Rejects when the host has not kept what it accepted. */
  close(): Promise<void>;
}

/** Aborting rejects with the signal's reason and sends the host no further requests. */
export interface Abortable {
  readonly signal: AbortSignal;
}

export interface ListOptions {
  /** Collects what the host calls owners and groups. */
  readonly names?: AccountNames | undefined;
  /** Awaited with the size of the list so far, before more of it is read. */
  readonly grow?: ((bytes: number) => Promise<void>) | undefined;
}

export interface WalkOptions extends Abortable {
  /** `breadth` goes level by level; `depth` by default. */
  readonly order?: 'depth' | 'breadth';
  /** False for a directory below the root that is reported, but not read. */
  readonly enters?: ((path: string, relative: string) => boolean) | undefined;
}

/** Space of a file system that an unprivileged account may use. */
export interface FileSystemSpace {
  readonly total_bytes: number;
  readonly free_bytes: number;
  /** 0 where files are not counted. */
  readonly total_files: number;
  readonly free_files: number;
}

/** One entry of a directory tree; a directory comes before its content. */
export type Walked =
  | {
      /** Real path; links are reported, never followed. */
      readonly path: string;
      /** Relative to the root of the walk, without a leading slash; empty for the root. */
      readonly relative: string;
      readonly stat: FileStat;
      readonly problem?: undefined;
    }
  /** What could not be read, and why. */
  | { readonly path: string; readonly relative: string; readonly problem: string; readonly stat?: undefined };

export interface SearchOptions extends Abortable {
  /** Matched anywhere in a name, ignoring case. */
  readonly text: string;
  readonly limit: number;
  readonly longest_ms: number;
}

export interface SearchResult {
  readonly entries: DirectoryEntry[];
  /** True when the limit on results, time or directories cut the search short. */
  readonly truncated: boolean;
}

/** A file or directory to add to an archive, with its content. */
export type ArchiveRoot = {
  /** Path in the archive. Empty: a file keeps its name, and a directory's content goes to the top level. */
  readonly name: string;
} & (
  | { /** Real path. */ readonly path: string }
  | { /** Reason for listing it as skipped instead of adding it. */ readonly problem: string }
);

/** Names by numeric id. */
export interface AccountNames {
  readonly users: Map<string, string>;
  readonly groups: Map<string, string>;
}

export interface HostRefusals {
  /** So that a new file is created under its own name. */
  readonly rename: boolean;
  /** So that nothing may be created that has to go again. */
  readonly remove: boolean;
}

/** A file that is written next to its target and then replaces it. */
export interface PartFiles {
  /** What the host refuses whatever it is about, as seen from the directory of this path. */
  refusals(path: string): Promise<HostRefusals>;
  /** `is_private`: only the owner can read it until it is placed. Throws `already_exists` when the name is taken. */
  createPart(path: string, options: { is_private: boolean }): Promise<void>;
  /** Its size on the host, in bytes. */
  partSize(path: string): Promise<number>;
  /**
   * Creates the part, writes the whole content over several channels and places it as `placePart` does. Unless it
   * resolves, a part may remain. Throws `upload_too_large` beyond `limit_bytes`, `remote_disk_full`, and what
   * `createPart` and `placePart` throw.
   */
  putPart(path: string, source: ByteSource, options: PutOptions): Promise<Placed>;
  /**
   * Appends in order from `offset`, which must be its size. When the source fails, the signal aborts or the host
   * refuses a write, it keeps what was written before, without gaps, and throws.
   */
  appendPart(path: string, offset: number, source: ByteSource, options: FillOptions): Promise<number>;
  /**
   * Renames it over `target`, atomically where the host supports it (`posix-rename@openssh.com`), if nobody gains or loses
   * a right by that. Otherwise, and where the host permits no renaming, writes its content to the target itself, with a
   * copy of the old content beside it until that is done. Does nothing for a part that is the target. Throws
   * `already_exists` for an existing target without `overwrite`, `not_a_file` when the target is not a file, and
   * `permission_denied` when the account may not write it.
   */
  placePart(path: string, target: string, options: { overwrite: boolean }): Promise<void>;
  /** No error when it does not exist. */
  removePart(path: string): Promise<void>;
}

/** How new content got to its target. */
export interface Placed {
  readonly size: number;
  /** Written to the file itself: a new file would have other rights, or lose links. */
  readonly in_place: boolean;
  /** False when the host has removed set-user-ID or set-group-ID bits, or the group had to lose what a list may have denied it. */
  readonly is_mode_kept: boolean;
}

export interface FillOptions extends Abortable {
  readonly limit_bytes?: number | undefined;
  /** Called after each chunk the host has accepted, with the bytes since the last call. */
  readonly onWritten?: ((bytes: number) => void) | undefined;
}

export interface PutOptions extends FillOptions {
  readonly target: string;
  readonly overwrite: boolean;
  readonly is_private: boolean;
  /** Nothing has the target's name yet. */
  readonly is_new?: boolean | undefined;
  /** Mode of a new file; a replaced file keeps its mode. */
  readonly mode?: number | undefined;
  /** ISO 8601; set where the host permits it. By default the time of writing. */
  readonly modified?: string | undefined;
  /** The content of `source`, if it is in memory: where the target itself is written, the sender cannot stop it halfway. */
  readonly whole?: Uint8Array | undefined;
  /** Called right before the part is placed; throwing leaves the target unchanged. */
  readonly beforePlace?: (() => Promise<void>) | undefined;
}

/**
 * One leased SFTP connection. Paths are absolute. A `real` path was resolved by the server itself; operations throw
 * `path_outside_allowed` when it has since changed to lead elsewhere.
 */
export interface FileSession extends PartFiles {
  /** The login directory; a real path. */
  loginDirectory(): Promise<string>;
  /** The server's own canonical path; `file_not_found` when it does not exist. */
  realpath(path: string): Promise<string>;
  /** Takes a real path; unsorted; `is_dir` follows links. */
  list(path: string, options?: ListOptions): Promise<DirectoryEntry[]>;
  /** One entry; does not follow a link. */
  entry(path: string): Promise<DirectoryEntry>;
  /** Does not follow a link; undefined when nothing exists. */
  statOf(path: string): Promise<FileStat | undefined>;
  /** Whether the host lets the account write the file; asks by opening it. Takes a real path. */
  mayWrite(real_path: string): Promise<boolean>;
  openRead(real_path: string): Promise<RemoteFile>;
  /**
   * Takes a real path, or a new name in a real directory. Throws `file_not_found` and `already_exists` as `create` demands,
   * `not_a_file`, and `permission_denied` for a file with a second name (a hard link) where paths are confined.
   */
  openWrite(path: string, options?: WriteOptions): Promise<WritableFile>;
  /** Opens the file only; `readDirectory` finds out whether it is an archive. */
  openZip(real_path: string): Promise<RemoteZip>;
  /** Throws `already_exists` when the name is taken, `file_not_found` when the parent does not exist. */
  makeDirectory(path: string): Promise<void>;
  /** Creates a symbolic link to any `target`, spelled as `link_target`. Throws `already_exists` when the name is taken. */
  makeLink(path: string, target: string): Promise<void>;
  /** What a link contains, spelled as `link_target`. */
  readLink(path: string): Promise<string>;
  /** Throws `already_exists` without `overwrite`, or when the target is a directory that is not empty. */
  rename(from: string, to: string, options: { overwrite: boolean }): Promise<void>;
  /** Removes a link itself, and a directory with its content. */
  remove(path: string, options: Abortable): Promise<void>;
  /** Takes a real path; `recursive` includes its content. Skips links. */
  changeMode(real_path: string, mode: number, options: Abortable & { recursive: boolean }): Promise<void>;
  /** Takes a real path of a file or directory. */
  setAttributes(real_path: string, attributes: SettableAttributes): Promise<void>;
  /** Real paths below a real directory; links are listed, but not followed. */
  search(real_path: string, options: SearchOptions): Promise<SearchResult>;
  /** The root comes first. Unreadable entries are reported and skipped; only a lost connection throws. */
  walk(real_path: string, options: WalkOptions): AsyncIterable<Walked>;
  /** Space of the file system that holds a real path; undefined when the server cannot report it. */
  space(real_path: string): Promise<FileSystemSpace | undefined>;
  /**
   * A ZIP archive (PKWARE APPNOTE, ZIP64 where needed), pull-driven. Links are not followed; unreadable entries are
   * listed in `_skipped.txt`. A lost connection fails the stream.
   */
  archive(roots: readonly ArchiveRoot[], options: Abortable): ReadableStream<Uint8Array>;
  /** Returns the connection to the pool; a file or archive that is still streaming keeps its own lease. */
  release(): void;
}

export interface Files {
  /** Unless it is confined, operations do not guard against paths that are swapped to lead elsewhere. */
  open(target: SshTarget, options?: { readonly is_confined?: boolean }): Promise<FileSession>;
  /** Ends pooled connections that run through this server. */
  drop(server_id: number): void;
  /** Ends pooled connections of one owner. */
  dropOwner(owner: string): void;
}
