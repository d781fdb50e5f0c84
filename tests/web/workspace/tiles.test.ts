import { describe, expect, it } from 'vitest';
import { boxesOf, groupsOf } from '../../../apps/web/workspace/panes/layout.ts';
import { gridOf, MOST_TILES, stacksOf, tilesInRows } from '../../../apps/web/workspace/panes/tiles.ts';

describe('Tiles', () => {
  it('fill a grid that fits their number, with rows as even as possible', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 9, 12].map(tilesInRows)).toEqual([
      [1],
      [2],
      [2, 1],
      [2, 2],
      [2, 2, 1],
      [2, 2, 2],
      [3, 2, 2],
      [3, 3, 3],
      [3, 3, 3, 3],
    ]);
  });

  it('cover the whole area', () => {
    const boxes = [...boxesOf(gridOf(stacksOf(['a', 'b', 'c'], undefined), 't')).values()];
    expect(boxes).toEqual([
      { left: 0, top: 0, width: 0.5, height: 0.5 },
      { left: 0.5, top: 0, width: 0.5, height: 0.5 },
      { left: 0, top: 0.5, width: 1, height: 0.5 },
    ]);
  });

  it('share the last one beyond the limit, with the active tab in front', () => {
    const ids = Array.from({ length: MOST_TILES + 2 }, (_, at) => `tab-${at}`);
    const groups = groupsOf(gridOf(stacksOf(ids, 'tab-12'), 't'));
    expect(groups).toHaveLength(MOST_TILES);
    expect(groups.at(-1)).toMatchObject({ tab_ids: ['tab-12', 'tab-11', 'tab-13'], shown_id: 'tab-12' });
  });
});
