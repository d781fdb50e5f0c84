import type { PtySize } from '#core/ports/ssh.ts';

const MERGE_MS = 10; // as in a recording
const MOST_MARKS = 4000;
const MOST_SIZES = 500;

interface Mark {
  readonly offset: number;
  readonly at_ms: number;
}

/** When output arrived, so that a recording that is continued later has the right times. */
export interface OutputMarks {
  add(offset: number, at_ms: number): void;
  /** Everything before `offset` needs no times any more. */
  dropBefore(offset: number): void;
  list(): readonly Mark[];
}

export function createOutputMarks(): OutputMarks {
  let marks: Mark[] = [];
  return {
    add(offset, at_ms) {
      const last = marks.at(-1);
      // Beyond the limit the times get coarser: a host may send a byte every few milliseconds for hours.
      const apart_ms = marks.length < MOST_MARKS / 2 ? MERGE_MS : 1000;
      if (last && (at_ms - last.at_ms <= apart_ms || marks.length >= MOST_MARKS)) return;
      marks.push({ offset, at_ms });
    },
    dropBefore(offset) {
      const first = marks.findLastIndex((mark) => mark.offset <= offset);
      if (first > 0) marks = marks.slice(first);
    },
    list: () => marks,
  };
}

/** The sizes that the kept output was written for. */
export interface SizeMarks {
  add(size: PtySize, mark: Mark): void;
  /** Leaves out all sizes before the oldest byte but the last one. */
  list(start: number): readonly (PtySize & Mark)[];
}

export function createSizeMarks(size: PtySize, at_ms: number): SizeMarks {
  let sizes: (PtySize & Mark)[] = [{ ...size, offset: 0, at_ms }];
  function dropBefore(start: number): void {
    const first = sizes.findLastIndex(({ offset }) => offset <= start);
    if (first > 0) sizes = sizes.slice(first);
  }
  return {
    add({ cols, rows }, mark) {
      if (sizes.length >= MOST_SIZES) sizes.shift();
      sizes.push({ cols, rows, ...mark });
    },
    list(start) {
      dropBefore(start);
      return sizes;
    },
  };
}
