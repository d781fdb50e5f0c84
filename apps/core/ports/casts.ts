import type { PtySize } from './ssh.ts';

/** What a recording has become. */
export interface CastEnd {
  readonly size_bytes: number;
  /** Of the last event, in seconds. */
  readonly duration_s: number;
  /** Hex, of the whole file. */
  readonly sha256: string;
}

/** `limit`: as large as it may be; `disk_full`; `failed`: the file cannot be written, or not in time. */
export type CastStop = 'limit' | 'disk_full' | 'failed';

export interface CastListener {
  /** More waits to be written than memory is for: the shell should pause until it is false again. */
  congested(is_congested: boolean): void;
  /**
   * Comes once, if something ends it, and before `close` resolves; what was written is whole lines, a note the last of
   * them where there is room. `reason`: in the system's words.
   */
  stopped(why: CastStop, end: CastEnd, reason?: string): void;
}

export interface NewCast {
  /** Below the directory of recordings. */
  readonly path: string;
  readonly size: PtySize;
  readonly started_at: Date;
  readonly title: string;
  /** Of the file; undefined without a limit. */
  readonly max_bytes: number | undefined;
}

/** A terminal's output on its way to a file (asciicast v2); nothing here waits for the disk. */
export interface CastWriter {
  /** Takes a copy. */
  output(bytes: Uint8Array): void;
  resize(size: PtySize): void;
  /** Writes what is left; the same promise when called again, or after it has stopped. */
  close(): Promise<CastEnd>;
}

/** Inclusive first byte, exclusive last; undefined: to the end. */
export interface CastRange {
  readonly start: number;
  readonly end: number | undefined;
}

/** Recordings as files. Each verb but `create` and `remove` throws `recording_file_missing`. */
export interface Casts {
  /** Throws what the system says where no file can be made. Makes nothing itself. */
  probe(): Promise<void>;
  /** `recording_failed` when there can be no such file. */
  create(cast: NewCast, listener: CastListener): Promise<CastWriter>;
  size(path: string): Promise<number>;
  read(path: string, range?: CastRange): ReadableStream<Uint8Array>;
  /** What was to be seen, as plain text (UTF-8): without control sequences, lines as a reader would copy them. */
  text(path: string): ReadableStream<Uint8Array>;
  /** Reads all of it; a last line that was broken off does not count for the duration. */
  digest(path: string): Promise<CastEnd>;
  /** Whether or not it is there. */
  remove(path: string): Promise<void>;
}
