import type { Fault } from '../errors.ts';
import type { ConnectionTest } from '../model/connection-test.ts';
import type { DirectoryEntry } from '../model/directory-entry.ts';

export type SshAuth =
  | { readonly method: 'password'; readonly password: string }
  | { readonly method: 'key'; readonly private_key: string; readonly passphrase: string };

/** One server on the way, with its credentials in clear: lives only as long as the dialling. */
export interface SshHop {
  readonly server_id: number;
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly auth: SshAuth;
  /** The pinned key, as base64 of its blob: its kind is asked for first. */
  readonly host_key: string | null;
}

/** Where to dial: bastions first, the destination last. Never empty. */
export interface SshTarget {
  readonly hops: readonly [SshHop, ...SshHop[]];
}

export interface PresentedHostKey {
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  /** `SHA256:` and unpadded base64, as OpenSSH prints it. */
  readonly fingerprint: string;
}

/** Asked by the dialler at each hop before any credential is sent. */
export interface HostKeys {
  /** Whether the key is known or met for the first time; throws `host_key_changed` otherwise. */
  judge(hop: SshHop, presented: PresentedHostKey): Promise<'trust' | 'pin'>;
  /** Once the host has proved that the key is its own; throws `host_key_changed` if another was pinned meanwhile. */
  pin(hop: SshHop, presented: PresentedHostKey): Promise<void>;
}

export interface PtySize {
  readonly cols: number;
  readonly rows: number;
}

export interface Shells {
  /** Dials, authenticates and starts a login shell on a pty; aborting ends whatever was begun. */
  open(target: SshTarget, size: PtySize, signal: AbortSignal): Promise<Shell>;
}

export type ShellEnd =
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'lost'; readonly fault: Fault };

export interface ShellListener {
  data(bytes: Uint8Array): void;
  /** The shell takes input again after `write` returned false. */
  drain(): void;
  /** Comes once, after the last byte of output. */
  end(end: ShellEnd): void;
}

/** A remote shell; output waits, paused, until `start`. */
export interface Shell {
  start(listener: ShellListener): void;
  /** False when the caller should wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  resize(size: PtySize): void;
  /** Stops the channel's window from growing, so that the remote program sleeps. */
  pause(): void;
  resume(): void;
  close(): void;
}

export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  /** ISO 8601, whole seconds (SFTP version 3). */
  readonly modified: string;
}

/** Bytes `start` to `end`, both included, as in RFC 9110 §14.1.2. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An open remote file; `stream`, `readAll` or `close` ends it. */
export interface RemoteFile {
  readonly stat: FileStat;
  /** Pull-driven, several READs in flight; its end, cancel or error closes the file. */
  stream(range: ByteRange): ReadableStream<Uint8Array>;
  /** To the end of the file, whatever its size says (`/proc`); then closes. `file_too_large` beyond the limit. */
  readAll(limit_bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** One leased SFTP connection. Paths are absolute; links are followed unless said otherwise. */
export interface FileSession {
  /** The server's own canonical path; `file_not_found` when it does not exist. */
  realpath(path: string): Promise<string>;
  /** Of a real path; unsorted; `is_dir` follows links. */
  list(path: string): Promise<DirectoryEntry[]>;
  /** One entry, the link itself if it is one. */
  entry(path: string): Promise<DirectoryEntry>;
  /** A real path: `path_outside_allowed` when it has since begun to lead elsewhere. */
  openRead(path: string): Promise<RemoteFile>;
  /** Returns the connection to the pool; a file still streaming keeps its own lease. */
  release(): void;
}

export interface Files {
  open(target: SshTarget): Promise<FileSession>;
  /** Ends pooled connections that run through this server. */
  drop(server_id: number): void;
}

export interface Prober {
  /** Dials every hop in order, reporting each stage; never throws for what the host does. */
  test(target: SshTarget): Promise<ConnectionTest>;
}

export interface PrivateKeys {
  /** Throws `unreadable_private_key`, saying what is wrong with it. */
  assertReadable(private_key: string, passphrase: string): Promise<void>;
}
