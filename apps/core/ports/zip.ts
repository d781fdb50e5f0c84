/** One entry of the central directory. */
export interface ZipMember {
  /** Names joined with slashes, as in the archive; a directory has no trailing slash. Not checked: `../x` is possible. */
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
  readonly compressed_size: number;
  readonly crc: number;
  /** ISO 8601, whole seconds. */
  readonly modified: string;
  /** Permission bits; undefined when the archive was not made on Unix. */
  readonly mode: number | undefined;
  /** The number of PKWARE APPNOTE 4.4.5: 0 is stored, 8 is deflated. */
  readonly method: number;
  readonly is_encrypted: boolean;
  /** Where its local header starts. */
  readonly offset: number;
  /** Length and CRC-32 of the name as stored, to recognize it in the local header. */
  readonly stored_name: { readonly length: number; readonly crc: number };
}

export interface ZipDirectory {
  readonly members: readonly ZipMember[];
  /** True when a limit ended the reading. */
  readonly truncated: boolean;
  /** What decoded the names whose encoding the archive does not tell, stated or guessed; undefined without such a name. */
  readonly encoding: string | undefined;
  /** Where the central directory starts, which is where the content of the members ends. */
  readonly start: number;
}

export interface ZipLimits {
  readonly signal: AbortSignal;
  readonly members: number;
  readonly directory_bytes: number;
  /** Encoding of names that the archive does not mark as UTF-8; undefined: guessed. */
  readonly encoding?: string | undefined;
}

/** A ZIP archive on a host, read at offsets and never as a whole. The caller closes it. */
export interface RemoteZip {
  /** Throws `archive_unreadable` and `archive_damaged`. */
  readDirectory(limits: ZipLimits): Promise<ZipDirectory>;
  /**
   * The content of a file, inflated. Fails with `member_encrypted`, `member_method`, and with `archive_damaged` when the
   * local header, the size or the checksum differs from the central directory, or when it reaches beyond `ends_before`.
   */
  content(member: ZipMember, ends_before: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}
