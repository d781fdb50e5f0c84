import type { CastPosition } from './keeping.ts';
import type { PtySize } from './ssh.ts';

/** The finished recording file. */
export interface CastEnd {
  readonly size_bytes: number;
  /** Time of the last event, in seconds. */
  readonly duration_s: number;
  /** SHA-256 of the whole file, in hex. */
  readonly sha256: string;
}

/** `limit`: the file reached its size limit; `failed`: a write failed or timed out. */
export type CastStop = 'limit' | 'disk_full' | 'failed';

export interface CastListener {
  /** True while too much unwritten output is buffered: pause the shell until it is false again. */
  congested(is_congested: boolean): void;
  /**
   * Called at most once, when something stops the recording, and before `close` resolves. The file then ends with a
   * whole line, a note if there is room. `reason` is the system's error message.
   */
  stopped(why: CastStop, end: CastEnd, reason?: string): void;
  /** Called after each write. Offsets count the output from the start of the recording. */
  written?(position: CastPosition): void;
}

export interface NewCast {
  /** Relative to the recordings directory. */
  readonly path: string;
  readonly size: PtySize;
  readonly started_at: Date;
  readonly title: string;
  /** Size limit of the file; undefined for no limit. */
  readonly max_bytes: number | undefined;
}

/** A recording that another process has begun. */
export interface OpenCast extends Omit<NewCast, 'size' | 'title'> {
  /** What the file has beyond it is written again. */
  readonly position: CastPosition;
}

/** Writes a terminal's output to a file (asciicast v2) without waiting for the disk. */
export interface CastWriter {
  /** Copies the bytes. `at_ms`: when they arrived, on the monotonic clock; by default now. */
  output(bytes: Uint8Array, at_ms?: number): void;
  resize(size: PtySize, at_ms?: number): void;
  /** Flushes and writes nothing more: another process goes on from the last position that was reported. */
  abandon(): Promise<void>;
  /** Flushes and closes. Later calls, and calls after a stop, return the same promise. */
  close(): Promise<CastEnd>;
}

/** A line of output. */
export interface CastMatch {
  /** Seconds from the start of the recording. */
  readonly at_s: number;
  readonly line: string;
}

/** `start` is inclusive, `end` exclusive; undefined reads to the end. */
export interface CastRange {
  readonly start: number;
  readonly end: number | undefined;
}

/** Where casts are kept once they are over, instead of in the directory. Each verb throws `recording_store_…`. */
export interface CastStore {
  /** Identifies it, also after a restart. */
  readonly id: string;
  /** Whether it can be used. */
  check(): Promise<void>;
  /**
   * Uploads the file, compares the stored object with it, and deletes it. `busy`: it is still being written; `missing`:
   * neither the directory nor the store has it.
   */
  take(path: string, signal: AbortSignal): Promise<'stored' | 'busy' | 'missing'>;
}

/** Recording files. `size`, `read`, `text`, `search` and `digest` throw `recording_file_missing`. */
export interface Casts {
  /** Undefined when casts stay in the directory. */
  readonly store: CastStore | undefined;
  /**
   * Identifies the directory by a file in it, also after a restart; null without one. `create` makes the directory; the
   * file is written once.
   */
  directoryId(options: { readonly create: boolean }): Promise<string | null>;
  /** Throws the system's error when no file can be created there. Creates nothing. */
  probe(): Promise<void>;
  /** Throws `recording_failed` when the file cannot be created. */
  create(cast: NewCast, listener: CastListener): Promise<CastWriter>;
  /** Continues a file at the exact byte. Throws `recording_failed` when it cannot. */
  resume(cast: OpenCast, listener: CastListener): Promise<CastWriter>;
  size(path: string): Promise<number>;
  /** Fails when a store has another size than it `announced`. */
  read(path: string, range?: CastRange, announced?: number): ReadableStream<Uint8Array>;
  /** The visible text (UTF-8), without control sequences and with wrapped lines joined. */
  text(path: string): ReadableStream<Uint8Array>;
  /** The lines of output that contain the text, in any case; a few for each file. */
  search(path: string, text: string, signal: AbortSignal): Promise<CastMatch[]>;
  /**
   * Reads the whole file, or one byte more than `most_bytes`; a truncated last line does not count towards the
   * duration.
   */
  digest(path: string, most_bytes?: number): Promise<CastEnd>;
  /** No error when the file does not exist. Throws `recording_store_…`; the file is then still there. */
  remove(path: string): Promise<void>;
}
