import { describe, expect, it } from 'vitest';
import { blockIn, blocksAfter, rangeOf } from '../../../apps/web/parts/list-window.ts';

const ROW = 30;
const BLOCK_ROWS = 12;
const BLOCK = BLOCK_ROWS * ROW;
const at = (scroll_px: number, count = 100_000, overscan = 1) =>
  rangeOf({ scroll_px, height_px: 600 }, { row_px: ROW, block_rows: BLOCK_ROWS, overscan, count });

describe('the visible part of a list', () => {
  it('covers the height, with a block of rows above and below it', () => {
    expect(at(0)).toEqual({ first: 0, slots: 5 });
    expect(at(10 * BLOCK)).toEqual({ first: 9, slots: 5 });
    const { first, slots } = at(10 * BLOCK + BLOCK - 1);
    expect((first + slots) * BLOCK).toBeGreaterThanOrEqual(11 * BLOCK - 1 + 600);
  });

  it('ends with the last row, and shows a short list whole', () => {
    const { first, slots } = at(100_000 * ROW);
    expect(first + slots).toBe(Math.ceil(100_000 / BLOCK_ROWS));
    expect(at(0, 5)).toEqual({ first: 0, slots: 1 });
    expect(at(0, 0)).toEqual({ first: 0, slots: 0 });
  });

  it('changes only the blocks that have left it', () => {
    const shown = (scroll_px: number) => {
      const range = at(scroll_px);
      return Array.from({ length: range.slots }, (_, slot) => blockIn(slot, range));
    };
    const [before, after] = [shown(20 * BLOCK), shown(21 * BLOCK)];
    expect(after.filter((block, slot) => block !== before[slot])).toHaveLength(1);
    expect([...after].sort()).toEqual([20, 21, 22, 23, 24]);
  });

  it('shows first what a jump has made visible', () => {
    const near = at(20 * BLOCK);
    const before = blocksAfter([], { wanted: near, visible: undefined });
    expect([...before].sort()).toEqual([19, 20, 21, 22, 23]);
    const far = { wanted: at(500 * BLOCK), visible: at(500 * BLOCK, 100_000, 0) };
    const jumped = blocksAfter(before, far);
    expect(jumped.filter((block) => block >= 500 && block < 503)).toHaveLength(3);
    expect(jumped.filter((block) => before.includes(block))).toHaveLength(2);
    const settled = blocksAfter(jumped, { ...far, visible: undefined });
    expect([...settled].sort()).toEqual([499, 500, 501, 502, 503]);
  });
});
