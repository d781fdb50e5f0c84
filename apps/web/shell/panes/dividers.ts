import { type Box, type Layout, partBoxes, type Split, WHOLE } from '../../workspace/panes/layout.ts';

/** The divider between two parts of a split. */
export interface Divider {
  readonly id: string;
  readonly split: Split;
  /** Index of the part before it. */
  readonly at: number;
  readonly left: number;
  readonly top: number;
  /** Length along the divider, as a fraction of the page. */
  readonly length: number;
  /** Extent of the split across the divider, as a fraction of the page. */
  readonly extent: number;
}

const MIN_SHARE = 0.1;

export function dividersOf(layout: Layout, box: Box = WHOLE): Divider[] {
  if (layout.kind === 'group') return [];
  const boxes = partBoxes(layout, box);
  const is_row = layout.direction === 'row';
  const own = boxes.slice(1).map(({ left, top }, at) => ({
    id: `${layout.id}-${at}`,
    split: layout,
    at,
    left,
    top,
    length: is_row ? box.height : box.width,
    extent: is_row ? box.width : box.height,
  }));
  return [...own, ...layout.parts.flatMap((part, at) => dividersOf(part, boxes[at] ?? box))];
}

/** Moves space from the part after the divider to the one before it; both keep a minimum. */
export function resized(shares: readonly number[], at: number, by: number): number[] {
  const before = shares[at] ?? 0;
  const after = shares[at + 1] ?? 0;
  const least = Math.min(MIN_SHARE, before, after);
  const moved = Math.max(least - before, Math.min(after - least, by));
  return shares.map((share, nth) => {
    if (nth === at) return share + moved;
    return nth === at + 1 ? share - moved : share;
  });
}

/** Where a dragged tab would go: an edge of the pane, or undefined for the pane itself. */
export function edgeAt(x: number, y: number): 'left' | 'right' | 'top' | 'bottom' | undefined {
  const nearest = Math.min(x, 1 - x, y, 1 - y);
  if (nearest > 0.28) return undefined;
  if (nearest === x) return 'left';
  if (nearest === 1 - x) return 'right';
  return nearest === y ? 'top' : 'bottom';
}
