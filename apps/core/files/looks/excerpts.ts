import { Fault } from '../../errors.ts';
import type { RemoteFile } from '../../ports/files.ts';

const CHUNK_BYTES = 256 * 1024;
const HEAD_BYTES = 4096;
const LINE_BYTES = 4096; // looked through for the beginning of a line
const NEWLINE = 0x0a;

export type ExcerptPart =
  | { readonly kind: 'lines' /** From 1. */; readonly from_line: number; readonly lines: number }
  | { readonly kind: 'bytes' /** From 0. */; readonly from_byte: number; readonly bytes: number }
  | { readonly kind: 'tail'; readonly lines: number };

export interface ExcerptBounds {
  /** The longest text that is returned. */
  readonly most_bytes: number;
  /** Read while looking for a line. */
  readonly scan_bytes: number;
}

export interface Piece {
  readonly bytes: Uint8Array;
  readonly from_byte: number;
  /** The first line; undefined if it was not counted. */
  readonly from_line: number | undefined;
  /** Ends where the file ends. */
  readonly is_end: boolean;
  /** The bound on what is read came before the line. */
  readonly gave_up: boolean;
}

export async function readPiece(
  file: RemoteFile,
  part: ExcerptPart,
  bounds: ExcerptBounds,
  signal: AbortSignal,
): Promise<Piece> {
  switch (part.kind) {
    case 'lines':
      return readLines(file, part, bounds, signal);
    case 'bytes':
      return readBytes(file, part, bounds);
    case 'tail':
      return readTail(file, part.lines, bounds);
  }
}

/** The beginning, which tells what kind of file it is. Throws `not_text`. */
export async function readHead(file: RemoteFile): Promise<string> {
  const bytes = await file.readPart(0, HEAD_BYTES);
  if (bytes.includes(0)) throw new Fault('not_text');
  return new TextDecoder().decode(bytes);
}

/** Begins with a whole line: without the name before it, a password would not be recognized. */
async function readBytes(
  file: RemoteFile,
  { from_byte, bytes: wanted }: { from_byte: number; bytes: number },
  { most_bytes }: ExcerptBounds,
): Promise<Piece> {
  const start = Math.max(0, from_byte - LINE_BYTES);
  const length = from_byte - start + Math.min(wanted, most_bytes);
  const bytes = await file.readPart(start, length + 1);
  const is_end = bytes.length <= length;
  const at = from_byte > start ? bytes.lastIndexOf(NEWLINE, from_byte - start - 1) + 1 : 0;
  const piece = bytes.subarray(at, length);
  return { bytes: piece, from_byte: start + at, from_line: undefined, is_end, gave_up: false };
}

async function readTail(file: RemoteFile, lines: number, { most_bytes }: ExcerptBounds): Promise<Piece> {
  const start = Math.max(0, file.stat.size - most_bytes);
  const bytes = await file.readPart(start, most_bytes + 1);
  const is_end = bytes.length <= most_bytes;
  const at = startOfTail(bytes, lines);
  const from_line = start === 0 && at === 0 ? 1 : undefined;
  return { bytes: bytes.subarray(at), from_byte: start + at, from_line, is_end, gave_up: false };
}

/** A newline at the very end belongs to the last line. */
function startOfTail(bytes: Uint8Array, lines: number): number {
  let at = bytes.length - 1;
  for (let left = lines; left > 0 && at > 0; left -= 1) {
    at = bytes.lastIndexOf(NEWLINE, at - 1);
    if (at < 0) return 0;
  }
  return at <= 0 ? 0 : at + 1;
}

async function readLines(
  file: RemoteFile,
  { from_line, lines }: { from_line: number; lines: number },
  { most_bytes, scan_bytes }: ExcerptBounds,
  signal: AbortSignal,
): Promise<Piece> {
  const kept: Uint8Array[] = [];
  let [line, position, kept_bytes, from_byte] = [1, 0, 0, 0];
  const ends = () => line >= from_line + lines || kept_bytes >= most_bytes;
  for (;;) {
    signal.throwIfAborted();
    const chunk = await file.readPart(position, CHUNK_BYTES);
    const skipped = skipLines(chunk, 0, from_line - line);
    line += skipped.passed;
    if (line >= from_line && skipped.at <= chunk.length) {
      if (kept_bytes === 0) from_byte = position + skipped.at;
      const taken = skipLines(chunk, skipped.at, from_line + lines - line);
      line += taken.passed;
      const piece = chunk.subarray(skipped.at, Math.min(taken.at, skipped.at + most_bytes - kept_bytes));
      kept.push(piece);
      kept_bytes += piece.length;
    }
    position += chunk.length;
    const is_end = chunk.length < CHUNK_BYTES;
    if (is_end || ends() || position >= scan_bytes) {
      const bytes = joined(kept, kept_bytes);
      const reaches_end = is_end && from_byte + kept_bytes >= position;
      const gave_up = !is_end && kept_bytes === 0;
      return { bytes, from_byte, from_line, is_end: reaches_end || (is_end && kept_bytes === 0), gave_up };
    }
  }
}

/** The place after `count` newlines, or the end, and how many there were. */
function skipLines(bytes: Uint8Array, from: number, count: number): { at: number; passed: number } {
  let at = from;
  let passed = 0;
  while (passed < count) {
    const found = bytes.indexOf(NEWLINE, at);
    if (found < 0) return { at: bytes.length, passed };
    at = found + 1;
    passed += 1;
  }
  return { at, passed };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
