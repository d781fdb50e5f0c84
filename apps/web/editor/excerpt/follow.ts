import { type FilePart, PART_BYTES, type Wanted } from './reading.ts';

const OVERLAP_BYTES = 64; // read again: other bytes there mean another file
export const PAUSES_MS = { least: 1000, most: 10_000 };

export type News =
  /** Bytes behind those that are known. */
  | { readonly kind: 'more'; readonly bytes: Uint8Array; readonly size: number }
  /** The end of the file, without what comes before: it is another file, or too much was written at once. */
  | { readonly kind: 'anew'; readonly part: FilePart }
  | { readonly kind: 'nothing' };

/** Follows the end of a file, as `tail -F` does. */
export interface Follower {
  look(): Promise<News>;
  /** Until the next look: longer while nothing is written. */
  pause_ms(): number;
}

export function createFollower(
  known: FilePart,
  read: (wanted: Wanted) => Promise<FilePart | undefined>,
): Follower {
  let end = known.offset + known.bytes.length;
  let tail = known.bytes.slice(-OVERLAP_BYTES);
  let pause_ms = PAUSES_MS.least;

  function keep(bytes: Uint8Array, next_end: number): void {
    end = next_end;
    tail = bytes.length >= OVERLAP_BYTES ? bytes.slice(-OVERLAP_BYTES) : joined(tail, bytes);
  }
  async function anew(): Promise<News> {
    const part = (await read('last')) ?? { bytes: new Uint8Array(), offset: 0, size: 0 };
    tail = new Uint8Array();
    keep(part.bytes, part.offset + part.bytes.length);
    return { kind: 'anew', part };
  }
  async function ask(): Promise<News> {
    if (end === 0) return (await read({ from: 0 })) === undefined ? { kind: 'nothing' } : anew();
    const part = await read({ from: end - tail.length });
    if (!part || !isSame(part.bytes.subarray(0, tail.length), tail) || part.size - end > PART_BYTES / 2) {
      return anew(); // cut off, replaced, or far ahead
    }
    const bytes = part.bytes.slice(tail.length);
    if (bytes.length === 0) return { kind: 'nothing' };
    keep(bytes, end + bytes.length);
    return { kind: 'more', bytes, size: part.size };
  }
  return {
    async look() {
      const news = await ask();
      const is_quiet = news.kind === 'nothing';
      pause_ms = is_quiet ? Math.min(PAUSES_MS.most, pause_ms * 1.5) : PAUSES_MS.least;
      return news;
    },
    pause_ms: () => pause_ms,
  };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both.slice(-OVERLAP_BYTES);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
