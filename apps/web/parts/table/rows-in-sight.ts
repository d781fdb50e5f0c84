import { type Accessor, batch, createMemo, createSignal, onCleanup, onMount, untrack } from 'solid-js';

const VIRTUAL_FROM = 120; // fewer rows are all in the page
const BLOCK_ROWS = 4; // rows come and go together
const OVERSCAN_ROWS = 12;
const SETTLED_MS = 60; // after a jump the rest of the rows follows
const UNMEASURED_PX = 1000;

interface Options {
  readonly count: Accessor<number>;
  /** Otherwise all rows are in the page. */
  readonly has_one_height: Accessor<boolean>;
  readonly row_px: Accessor<number>;
  readonly place: Accessor<HTMLElement | undefined>;
}

interface Sight {
  /** Distance of the first row below the top of the scrolling element; negative once it is above. */
  readonly top_px: number;
  readonly height_px: number;
}

interface Shape {
  readonly count: number;
  readonly row_px: number;
  readonly overscan: number;
}

export interface Part {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** The rows in sight and some around them, in whole blocks. */
export function partInSight({ top_px, height_px }: Sight, { count, row_px, overscan }: Shape): Part {
  const first = Math.floor(-top_px / row_px) - overscan;
  const end = Math.ceil((height_px - top_px) / row_px) + overscan;
  const blockBefore = (row: number) => Math.floor(row / BLOCK_ROWS) * BLOCK_ROWS;
  return {
    first: Math.max(0, Math.min(blockBefore(first), blockBefore(count - 1))),
    end: Math.max(1, Math.min(blockBefore(end + BLOCK_ROWS - 1), count)),
  };
}

/** Chooses the rows of a long table that are in the page. */
export function createRowsInSight({ count, has_one_height, row_px, place }: Options) {
  const { sight, is_jumping, hurry, look, scroller } = createSight(place);
  const is_long = () => has_one_height() && count() > VIRTUAL_FROM;
  const part = createMemo(
    () => {
      if (!is_long()) return { first: 0, end: count() };
      const overscan = is_jumping() ? 0 : OVERSCAN_ROWS;
      return partInSight(sight(), { count: count(), row_px: row_px(), overscan });
    },
    undefined,
    { equals: (one, other) => one.first === other.first && one.end === other.end },
  );
  /** Scrolls a row between the sticky head and what covers the end. */
  function reveal(index: number): void {
    const element = scroller();
    if (!element || !is_long()) return; // the focus scrolls
    look();
    const { top_px, height_px } = untrack(sight);
    const row_top_px = top_px + index * row_px();
    const cover_px = row_px() * 2;
    if (row_top_px < cover_px) element.scrollTop += row_top_px - cover_px;
    else if (row_top_px + cover_px > height_px) element.scrollTop += row_top_px + cover_px - height_px;
    look();
  }
  return { part, is_jumping: () => is_jumping() && is_long(), hurry, reveal };
}

/** Follows the position of the rows in the element that scrolls. */
function createSight(place: Accessor<HTMLElement | undefined>) {
  const [scroller, setScroller] = createSignal<HTMLElement>();
  const [sight, setSight] = createSignal<Sight>({ top_px: 0, height_px: UNMEASURED_PX });
  const [is_jumping, setJumping] = createSignal(false);
  let settling: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(settling));

  function look(): void {
    const element = scroller();
    const body = place()?.querySelector('tbody');
    if (!element || !body) return;
    const top_px = body.getBoundingClientRect().top - element.getBoundingClientRect().top;
    const height_px = element.clientHeight;
    const is_jump = Math.abs(top_px - untrack(sight).top_px) > height_px;
    batch(() => {
      if (is_jump) hurry();
      setSight({ top_px, height_px });
    });
  }
  /** Draws only the rows in sight until the table has settled. */
  function hurry(): void {
    clearTimeout(settling);
    settling = setTimeout(() => setJumping(false), SETTLED_MS);
    setJumping(true);
  }

  onMount(() => {
    const found = place()?.closest<HTMLElement>('.screen-body, .dialog');
    if (!found) return;
    const observer = new ResizeObserver(look);
    for (const part of [found, ...(place()?.closest('.section')?.children ?? [])]) observer.observe(part);
    found.addEventListener('scroll', look, { passive: true });
    setScroller(found);
    look();
    onCleanup(() => {
      observer.disconnect();
      found.removeEventListener('scroll', look);
    });
  });
  return { sight, is_jumping, hurry, look, scroller };
}
