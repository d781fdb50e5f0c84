import { describe, expect, it } from 'vitest';
import { moveCursor } from '../../../apps/web/lib/move-cursor.ts';

describe('the cursor of a list', () => {
  it.each([
    ['ArrowDown', 4, 4],
    ['ArrowUp', 0, 0],
    ['PageDown', 0, 3],
    ['Home', 4, 0],
    ['End', 0, 4],
    ['x', 2, undefined],
  ])('%s moves from %i to %s', (key, from, to) => {
    expect(moveCursor(key, from, 5, 3)).toBe(to);
  });

  it('stays put in an empty list', () => {
    expect(moveCursor('ArrowDown', 0, 0, 3)).toBeUndefined();
  });
});
