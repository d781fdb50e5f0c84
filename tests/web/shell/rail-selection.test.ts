import { describe, expect, it } from 'vitest';
import type { Reach } from '../../../apps/web/parts/table/selection.ts';
import { type Row, treeRows } from '../../../apps/web/shell/rail/rows.ts';
import { type Chosen, choose, NONE_CHOSEN } from '../../../apps/web/shell/rail/selection.ts';

const sections = [
  { id: 'favorites', server_ids: [3] },
  { id: 'group:web', server_ids: [1, 2, 3] },
];
const rows: readonly Row[] = treeRows(sections, new Set()); // favorites, 3, web, 1, 2, 3

function chosenBy(...steps: readonly (readonly [number, Reach])[]): number[] {
  const last = steps.reduce<Chosen>(
    (before, [index, reach]) => choose(before, rows, { index, reach }),
    NONE_CHOSEN,
  );
  return [...last.ids].sort();
}

describe('The selection in the rail', () => {
  it('is of servers, whichever of their rows was chosen', () => {
    expect(chosenBy([1, 'toggle'], [5, 'toggle'])).toEqual([]);
    expect(chosenBy([1, 'toggle'], [3, 'toggle'])).toEqual([1, 3]);
  });

  it('extends from the row that was toggled last', () => {
    expect(chosenBy([3, 'toggle'], [5, 'range'])).toEqual([1, 2, 3]);
    expect(chosenBy([5, 'toggle'], [3, 'toggle'], [4, 'range'])).toEqual([1, 2]);
    expect(chosenBy([5, 'toggle'], [3, 'toggle'], [4, 'range_more'])).toEqual([1, 2, 3]);
  });

  it('begins a first range at the given row', () => {
    const { ids } = choose(NONE_CHOSEN, rows, { index: 4, reach: 'range', from: 3 });
    expect([...ids]).toEqual([1, 2]);
  });

  it('takes all servers of a group, or none', () => {
    expect(chosenBy([3, 'toggle'], [2, 'toggle'])).toEqual([1, 2, 3]);
    expect(chosenBy([2, 'toggle'], [2, 'toggle'])).toEqual([]);
  });
});
