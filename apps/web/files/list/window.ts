import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, onMount } from 'solid-js';

export const BLOCK_ROWS = 12; // the rows of one element that moves; each row by itself would restyle its cells
const OVERSCAN = 1; // blocks above and below the visible ones

interface Options {
  readonly count: Accessor<number>;
  readonly row_px: number;
  /** Height of the sticky header. */
  readonly head_px: number;
  readonly scroller: () => HTMLElement | undefined;
}

/** The visible part of a long list of rows of one height, in blocks of rows. */
export interface ListWindow {
  /** One number per block element. */
  readonly slots: Accessor<readonly number[]>;
  /** The first row in a slot: while the list scrolls, a block that leaves at one end comes back at the other. */
  firstIn(slot: number): number;
  topOf(row: number): number;
  readonly total_px: Accessor<number>;
  /** False until the list has a height. */
  readonly is_measured: Accessor<boolean>;
  reveal(row: number): void;
}

export interface Range {
  /** The first block. */
  readonly first: number;
  readonly slots: number;
}

export function rangeOf(
  place: { readonly scroll_px: number; readonly height_px: number },
  { row_px, count }: { readonly row_px: number; readonly count: number },
): Range {
  const block_px = BLOCK_ROWS * row_px;
  const blocks = Math.ceil(count / BLOCK_ROWS);
  const slots = Math.min(blocks, Math.ceil(place.height_px / block_px) + 1 + 2 * OVERSCAN);
  const wanted = Math.floor(place.scroll_px / block_px) - OVERSCAN;
  return { first: Math.max(0, Math.min(wanted, blocks - slots)), slots };
}

/** The block that a slot shows. */
export function blockIn(slot: number, { first, slots }: Range): number {
  return first + ((((slot - first) % slots) + slots) % slots);
}

export function createListWindow({ count, row_px, head_px, scroller }: Options): ListWindow {
  const [scroll_px, setScroll] = createSignal(0);
  const [height_px, setHeight] = createSignal(0);
  const range = createMemo(
    () => rangeOf({ scroll_px: scroll_px(), height_px: height_px() }, { row_px, count: count() }),
    undefined,
    { equals: (a, b) => a.first === b.first && a.slots === b.slots },
  );
  const slots = createMemo(() => Array.from({ length: range().slots }, (_, slot) => slot));
  const look = () => setScroll(scroller()?.scrollTop ?? 0);

  onMount(() => {
    const element = scroller();
    if (!element) return;
    const measured = new ResizeObserver(() => setHeight(element.clientHeight));
    measured.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    onCleanup(() => {
      measured.disconnect();
      element.removeEventListener('scroll', look);
    });
  });
  createEffect(on(count, look)); // a shorter list may have been scrolled back

  return {
    slots,
    firstIn: (slot) => blockIn(slot, range()) * BLOCK_ROWS,
    topOf: (row) => head_px + row * row_px,
    total_px: () => head_px + count() * row_px,
    is_measured: createMemo(() => height_px() > 0),
    reveal(row) {
      const element = scroller();
      if (!element) return;
      const [top, space] = [row * row_px, element.clientHeight - head_px];
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + row_px > element.scrollTop + space) element.scrollTop = top + row_px - space;
      look();
    },
  };
}
