import type { After } from '../../lib/time/timers.ts';
import type { PtySize } from '../../ports/ssh.ts';
import type { Member } from './member.ts';

// Resizes have no flow control: they would pile up in a slow host, in the recording and at guests.
const RESIZE_EVERY_MS = 50;

export interface Resizer {
  resize(by: Member, size: PtySize): void;
  stop(): void;
}

interface Effects {
  readonly apply: (size: PtySize, by: Member | undefined) => void;
  /** Tells the members, except the one who already has the size. */
  readonly update: (size: PtySize, except: Member | undefined) => void;
}

/** Applies the first new size at once; of sizes that follow within 50 ms only the latest. */
export function createResizer(after: After, size: PtySize, { apply, update }: Effects): Resizer {
  let applied = size;
  let wanted = size;
  let resized_by: Member | undefined;
  let cancel: (() => void) | undefined;

  function settle(): void {
    cancel = undefined;
    if (isSame(wanted, applied)) return;
    applied = wanted;
    apply(applied, resized_by);
    update(applied, resized_by);
    cancel = after(RESIZE_EVERY_MS, settle);
  }

  return {
    resize(by, size) {
      const previous = resized_by;
      const is_unchanged = isSame(size, applied);
      resized_by = by;
      wanted = size;
      if (!cancel) settle();
      // The session keeps its size, but this member's terminal may show the size it asked for a moment ago.
      if (previous !== by && is_unchanged) update(size, by);
    },
    stop() {
      cancel?.();
      cancel = () => {};
    },
  };
}

function isSame(one: PtySize, other: PtySize): boolean {
  return one.cols === other.cols && one.rows === other.rows;
}
