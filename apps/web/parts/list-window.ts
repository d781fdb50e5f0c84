import {
  type Accessor,
  batch,
  createEffect,
  createMemo,
  createSignal,
  on,
  onCleanup,
  onMount,
  untrack,
} from 'solid-js';

const SETTLED_MS = 60; // after a jump the rest of the rows follows

interface Options {
  readonly count: Accessor<number>;
  readonly row_px: number;
  /** Height of a header above the rows; 0 unless given. */
  readonly head_px?: number;
  /** What sticks to the top covers this much of the rows. */
  readonly cover_px: number;
  /** The rows of one element that moves. */
  readonly block_rows: number;
  /** Blocks above and below the visible ones. */
  readonly overscan: number;
  readonly scroller: () => HTMLElement | undefined;
}

/** The visible part of a long list of rows of one height, in blocks of rows. */
export interface ListWindow {
  /** One number per block element. */
  readonly slots: Accessor<readonly number[]>;
  /** The first row in a slot: while the list scrolls, a block that leaves at one end comes back at the other. */
  firstIn(slot: number): number;
  topOf(row: number): number;
  /** Whether a slot shows this row now. */
  has(row: number): boolean;
  readonly total_px: Accessor<number>;
  readonly height_px: Accessor<number>;
  readonly scroll_px: Accessor<number>;
  /** The rows change together with the place, before the browser tells that it has scrolled. */
  scrollTo(top_px: number): void;
  reveal(row: number): void;
}

export interface Range {
  /** The first block. */
  readonly first: number;
  readonly slots: number;
}

/** Where the list was told to scroll; a new object each time. */
interface Scrolled {
  readonly top_px: number;
}

type Shape = Pick<Options, 'row_px' | 'block_rows' | 'overscan'> & { readonly count: number };

export function rangeOf(
  place: { readonly scroll_px: number; readonly height_px: number },
  { row_px, block_rows, overscan, count }: Shape,
): Range {
  const block_px = block_rows * row_px;
  const blocks = Math.ceil(count / block_rows);
  const slots = Math.min(blocks, Math.ceil(place.height_px / block_px) + 1 + 2 * overscan);
  const wanted = Math.floor(place.scroll_px / block_px) - overscan;
  return { first: Math.max(0, Math.min(wanted, blocks - slots)), slots };
}

/** The block that a slot shows. */
export function blockIn(slot: number, { first, slots }: Range): number {
  return first + ((((slot - first) % slots) + slots) % slots);
}

/** What each slot shows. After a jump only the visible blocks change at once: they are many rows, and the next jump may follow. */
export function blocksAfter(
  before: readonly number[],
  { wanted, visible }: { readonly wanted: Range; readonly visible: Range | undefined },
): readonly number[] {
  return Array.from({ length: wanted.slots }, (_, slot) => {
    const block = blockIn(slot, wanted);
    const is_late = visible && (block < visible.first || block >= visible.first + visible.slots);
    return (is_late && before.length === wanted.slots ? before[slot] : undefined) ?? block;
  });
}

export function createListWindow(options: Options): ListWindow {
  const { count, row_px, head_px = 0, cover_px, block_rows, scroller } = options;
  const [scroll_px, setScroll] = createSignal(0);
  const [height_px, setHeight] = createSignal(0);
  const [is_jumping, setJumping] = createSignal(false);
  const rangeWith = (overscan: number) =>
    rangeOf(
      { scroll_px: scroll_px(), height_px: height_px() },
      { row_px, block_rows, overscan, count: count() },
    );
  const range = createMemo(() => rangeWith(options.overscan), undefined, { equals: isSameRange });
  const blocks = createMemo<readonly number[]>(
    (before) => blocksAfter(before, { wanted: range(), visible: is_jumping() ? rangeWith(0) : undefined }),
    [],
  );
  const slots = createMemo<readonly number[]>((before) => {
    const { length } = blocks();
    return before.length === length ? before : Array.from({ length }, (_, slot) => slot);
  }, []);
  const topOf = (row: number) => head_px + row * row_px;
  const [scrolled, setScrolled] = createSignal<Scrolled>();
  let followed: Scrolled | undefined;
  let settling: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(settling));

  function place(top_px: number): void {
    const is_jump = Math.abs(top_px - untrack(scroll_px)) > untrack(height_px);
    clearTimeout(settling);
    settling = setTimeout(() => setJumping(false), SETTLED_MS);
    batch(() => {
      setJumping(is_jump);
      setScroll(top_px);
    });
  }
  /** A hidden list has no place. */
  function look(): void {
    const element = scroller();
    if (element && element.clientHeight > 0) place(element.scrollTop);
  }

  function scrollTo(top_px: number): void {
    const wanted_px = Math.max(0, Math.min(top_px, topOf(untrack(count)) - untrack(height_px)));
    if (wanted_px === untrack(scroll_px)) return;
    batch(() => {
      place(wanted_px);
      setScrolled({ top_px: wanted_px });
    });
  }
  /** Once the rows have their height. A shorter list may have been scrolled back by the browser. */
  function follow(wanted: Scrolled | undefined): void {
    const element = scroller();
    const is_new = wanted !== followed;
    followed = wanted;
    if (is_new && wanted && element) element.scrollTop = wanted.top_px;
    else if (untrack(scroll_px) > 0) look(); // reading it computes the layout
  }

  /** A list that was hidden may have lost its place. */
  function resize(element: HTMLElement): void {
    if (element.clientHeight === 0) return;
    if (element.scrollTop === 0 && untrack(scroll_px) > 0) element.scrollTop = untrack(scroll_px);
    setHeight(element.clientHeight);
    look();
  }

  onMount(() => {
    const element = scroller();
    if (!element) return;
    const measured = new ResizeObserver(() => resize(element));
    measured.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    onCleanup(() => {
      measured.disconnect();
      element.removeEventListener('scroll', look);
    });
  });
  createEffect(on([scrolled, count], ([wanted]) => follow(wanted)));

  return {
    ...{ slots, topOf, height_px, scroll_px, scrollTo },
    firstIn: (slot) => (blocks()[slot] ?? 0) * block_rows,
    has: (row) => blocks().includes(Math.floor(row / block_rows)),
    total_px: () => topOf(count()),
    reveal(row) {
      const element = scroller();
      if (!element) return;
      look();
      const [top_px, bottom_px] = [topOf(row) - cover_px, topOf(row + 1) - element.clientHeight];
      const now_px = untrack(scroll_px);
      if (top_px < now_px) scrollTo(top_px);
      else if (bottom_px > now_px) scrollTo(bottom_px);
    },
  };
}

function isSameRange(one: Range, other: Range): boolean {
  return one.first === other.first && one.slots === other.slots;
}
