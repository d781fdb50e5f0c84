import { createRing, type Ring } from '../../lib/bytes/ring.ts';
import type { KeptOutput } from '../../ports/keeper.ts';
import type { ScreenStep } from '../../ports/screens.ts';
import type { PtySize } from '../../ports/ssh.ts';

// The last MiB can be resumed, plus room for one more packet of the host.
const KEPT_BYTES = (1024 + 256) * 1024;
const LINE_SEARCH_BYTES = 8 * 1024;
const MOST_SIZES = 500;
const LF = 10;

/** The latest output and the sizes it was written for: enough to resume a terminal or to draw its screen. */
export interface History extends Ring {
  resized(size: PtySize, by_guest: boolean): void;
  size(): PtySize;
  /** Begins with the first whole line that is kept. */
  steps(): ScreenStep[];
  /** Gives the oldest output up, and keeps little until `keepAll`. */
  keepLittle(): void;
  keepAll(): void;
  /** Output has been given up since the last call. */
  takeLoss(): boolean;
}

/** What a history keeps at least: usually the whole present screen. */
export const LITTLE_BYTES = 64 * 1024;

/** `past`: what a keeper has kept of a session of an earlier process. */
export function createHistory(size: PtySize, past?: KeptOutput): History {
  const ring = createRing(KEPT_BYTES, past?.offset);
  if (past) ring.append(past.bytes);
  let sizes = past ? past.sizes.map(sizeOf) : [{ offset: 0, size, by_guest: false }];
  let has_lost = false;
  const latest = () => sizes.at(-1)?.size ?? size;

  /** Keeps only the last one of the sizes before the oldest byte. */
  function forgetOld(): void {
    const first = sizes.findLastIndex(({ offset }) => offset <= ring.start());
    sizes = sizes.slice(Math.max(0, first));
  }

  return {
    ...ring,
    size: latest,
    resized(now, by_guest) {
      forgetOld();
      if (sizes.length >= MOST_SIZES) sizes.shift(); // output of that size is no longer drawn
      const replaced = sizes.at(-1)?.offset === ring.end() ? sizes.pop() : undefined;
      sizes.push({ offset: ring.end(), size: now, by_guest: by_guest || replaced?.by_guest === true });
    },
    keepLittle() {
      has_lost ||= ring.end() - ring.start() > LITTLE_BYTES;
      ring.limit(LITTLE_BYTES);
    },
    keepAll: () => ring.limit(KEPT_BYTES),
    takeLoss() {
      const lost = has_lost;
      has_lost = false;
      return lost;
    },
    steps() {
      forgetOld();
      const from = firstLine(ring);
      return sizes.flatMap(({ offset, size: then, by_guest }, at): ScreenStep[] => {
        const begin = Math.max(offset, from);
        const until = Math.max(begin, sizes[at + 1]?.offset ?? ring.end());
        const bytes = ring.slice(begin, until);
        return [
          { kind: 'size', size: then, by_guest },
          { kind: 'output', bytes },
        ];
      });
    },
  };
}

function sizeOf({ offset, cols, rows }: KeptOutput['sizes'][number]) {
  return { offset, size: { cols, rows }, by_guest: false };
}

/** The rest of a cut line may begin inside a character or a control sequence. */
function firstLine(ring: Ring): number {
  const start = ring.start();
  if (start === 0) return 0;
  const head = ring.slice(start, Math.min(ring.end(), start + LINE_SEARCH_BYTES));
  return start + head.indexOf(LF) + 1;
}
