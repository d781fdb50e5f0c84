import type { DirectoryEntry } from '../model/directory-entry.ts';
import type { SshTarget } from './ssh.ts';

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

/** Bytes in order; whoever takes them sets the pace. A Node stream is one, a web stream in Node too. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** An open remote file; `stream`, `readAll` or `close` ends it. */
export interface RemoteFile {
  readonly stat: FileStat;
  /** Pull-driven, several READs in flight; its end, cancel or error closes the file. */
  stream(range: ByteRange): ReadableStream<Uint8Array>;
  /** To the end of the file, whatever its size says (`/proc`); then closes. `file_too_large` beyond the limit. */
  readAll(limit_bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Work that may take long: aborting it rejects with the signal's reason, and nothing more is asked of the host. */
export interface Abortable {
  readonly signal: AbortSignal;
}

/** One thing below a directory; a directory comes before what is in it. */
export type Walked =
  | {
      /** Real path; a link is told as itself and never followed. */
      readonly path: string;
      /** Below the root of the walk, without a leading slash; empty for the root. */
      readonly relative: string;
      readonly stat: FileStat;
      readonly problem?: undefined;
    }
  /** What could not be read, and why. */
  | { readonly path: string; readonly relative: string; readonly problem: string; readonly stat?: undefined };

export interface SearchOptions extends Abortable {
  /** Found without regard to case anywhere in a name. */
  readonly text: string;
  readonly limit: number;
  readonly longest_ms: number;
}

export interface SearchResult {
  readonly entries: DirectoryEntry[];
  /** There may be more: the count, the time, or the number of directories was used up. */
  readonly truncated: boolean;
}

/** What becomes a member of an archive, with all that is in it. */
export type ArchiveRoot = {
  /** In the archive; empty: a file keeps its name, the content of a directory stands at the top. */
  readonly name: string;
} & (
  | { /** Real. */ readonly path: string }
  | { /** Why it is only listed as skipped. */ readonly problem: string }
);

/** A file that grows beside its target and then takes its place. */
export interface PartFiles {
  /** `is_private`: readable by its owner alone until it is placed. `already_exists` when the name is taken. */
  createPart(path: string, options: { is_private: boolean }): Promise<void>;
  /** Bytes that it has on the host. */
  partSize(path: string): Promise<number>;
  /**
   * Writes the whole content, in any order, over several channels: of use only when it resolves. Resolves with its
   * size. `upload_too_large` beyond `limit_bytes`, `remote_disk_full` when that is the reason.
   */
  fillPart(path: string, source: ByteSource, options: FillOptions): Promise<number>;
  /**
   * Writes strictly in order from `offset`, which is its size. When the source fails, the signal aborts or the host
   * refuses a write, what was written before stays, without a hole, and the failure is thrown.
   */
  appendPart(path: string, offset: number, source: ByteSource, options: FillOptions): Promise<number>;
  /**
   * Renames it over `target`, in one step where the host can (`posix-rename@openssh.com`); takes over the mode of what it
   * replaces and, where permitted, its owner. Without `overwrite`, `already_exists` when there is something;
   * `not_a_file` when that is none.
   */
  placePart(path: string, target: string, options: { overwrite: boolean }): Promise<void>;
  /** No matter whether it is there. */
  removePart(path: string): Promise<void>;
}

export interface FillOptions extends Abortable {
  readonly limit_bytes?: number | undefined;
  /** Told after each piece that the host has taken: bytes since the last time. */
  readonly onWritten?: ((bytes: number) => void) | undefined;
}

/**
 * One leased SFTP connection. Paths are absolute and, where an operation says `real`, resolved by the server itself:
 * `path_outside_allowed` when one has since begun to lead elsewhere.
 */
export interface FileSession extends PartFiles {
  /** The directory in which the host's login begins; a real path. */
  loginDirectory(): Promise<string>;
  /** The server's own canonical path; `file_not_found` when it does not exist. */
  realpath(path: string): Promise<string>;
  /** Of a real path; unsorted; `is_dir` follows links. */
  list(path: string): Promise<DirectoryEntry[]>;
  /** One entry, the link itself if it is one. */
  entry(path: string): Promise<DirectoryEntry>;
  /** The link itself if it is one; undefined when there is nothing. */
  statOf(path: string): Promise<FileStat | undefined>;
  openRead(real_path: string): Promise<RemoteFile>;
  /** `already_exists` when there is anything of this name, `file_not_found` without its parent. */
  makeDirectory(path: string): Promise<void>;
  /** Without `overwrite`, and for a directory that is not empty, `already_exists`. */
  rename(from: string, to: string, options: { overwrite: boolean }): Promise<void>;
  /** The link itself if it is one, a directory with all that is in it. */
  remove(path: string, options: Abortable): Promise<void>;
  /** Of a real path, and with `recursive` of what is in it; links that are met are left alone. */
  changeMode(real_path: string, mode: number, options: Abortable & { recursive: boolean }): Promise<void>;
  /** Real paths below a real directory; links are found, but not followed. */
  search(real_path: string, options: SearchOptions): Promise<SearchResult>;
  /** The root first. What cannot be read is told and passed over; only a lost host throws. */
  walk(real_path: string, options: Abortable): AsyncIterable<Walked>;
  /**
   * A ZIP archive (PKWARE APPNOTE, ZIP64 where needed), pull-driven. Links are not followed; what could not be read is
   * listed in `_skipped.txt`. A lost host breaks the stream.
   */
  archive(roots: readonly ArchiveRoot[], options: Abortable): ReadableStream<Uint8Array>;
  /** Returns the connection to the pool; a file or an archive still streaming keeps its own lease. */
  release(): void;
}

export interface Files {
  open(target: SshTarget): Promise<FileSession>;
  /** Ends pooled connections that run through this server. */
  drop(server_id: number): void;
  /** Ends pooled connections of one owner. */
  dropOwner(owner: string): void;
}
