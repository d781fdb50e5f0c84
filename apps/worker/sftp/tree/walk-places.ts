import type { Step } from './walk-step.ts';

/** `depth`: a directory with all that is in it before the next one. `breadth`: what is near first. */
export type WalkOrder = 'depth' | 'breadth';

/** A directory in line. */
export interface Place {
  readonly path: string;
  readonly relative: string;
  next: Place | undefined;
  state: 'waiting' | 'reading' | 'read';
  /** Read, and not taken yet. */
  readonly batches: Step[][];
  kept: number;
  failure?: unknown;
}

/** Directories in the order of a walk. */
export interface Places {
  head(): Place | undefined;
  /** The first of them is over. */
  advance(): void;
  /** Those found in one of them come after it, or after all others. */
  inserter(found_in: Place): (path: string, relative: string) => void;
}

export function createPlaces(root: string, order: WalkOrder): Places {
  let head: Place | undefined = placeAt(root, '');
  let last = head;
  function insert(place: Place, before: Place): void {
    place.next = before.next;
    before.next = place;
    if (before === last) last = place;
  }
  return {
    head: () => head,
    advance() {
      head = head?.next;
    },
    inserter(found_in) {
      let latest = found_in;
      return (path, relative) => {
        const place = placeAt(path, relative);
        insert(place, order === 'depth' ? latest : last);
        latest = place;
      };
    },
  };
}

function placeAt(path: string, relative: string): Place {
  return { path, relative, next: undefined, state: 'waiting', batches: [], kept: 0 };
}
