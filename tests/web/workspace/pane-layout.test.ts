import { describe, expect, it } from 'vitest';
import { dividersOf, edgeAt, resized } from '../../../apps/web/shell/panes/dividers.ts';
import { putBack, readLayout, withTabs } from '../../../apps/web/workspace/panes/kept-layout.ts';
import {
  addTab,
  boxesOf,
  groupOf,
  groupsOf,
  type Layout,
  moveTab,
  putNextTo,
  removeTab,
  showTab,
  single,
  splitAt,
} from '../../../apps/web/workspace/panes/layout.ts';

const right = (layout: Layout, tab_id: string, group_id = 'g0') =>
  splitAt(layout, tab_id, { group_id, edge: 'right', new_id: `g-${tab_id}` });
const tabsOf = (layout: Layout) => groupsOf(layout).map(({ tab_ids }) => tab_ids);
const two = right(single(['a', 'b', 'c']), 'c');

describe('the pane layout', () => {
  it('moves a tab into its own group beside the others', () => {
    expect(tabsOf(two)).toEqual([['a', 'b'], ['c']]);
    expect([...boxesOf(two)]).toEqual([
      ['g0', { left: 0, top: 0, width: 0.5, height: 1 }],
      ['g-c', { left: 0.5, top: 0, width: 0.5, height: 1 }],
    ]);
  });

  it('does not split a group off from itself', () => {
    expect(right(single(['a']), 'a')).toEqual(single(['a']));
  });

  it('places a third group beside two in the same direction, not inside one', () => {
    const three = right(two, 'b');
    expect(three).toMatchObject({ kind: 'split', parts: [{ id: 'g0' }, { id: 'g-b' }, { id: 'g-c' }] });
    expect(three).toMatchObject({ shares: [0.25, 0.25, 0.5] });
  });

  it('splits below within a column of a row', () => {
    const below = splitAt(two, 'b', { group_id: 'g-c', edge: 'bottom', new_id: 'g-b' });
    expect(boxesOf(below).get('g-b')).toEqual({ left: 0.5, top: 0.5, width: 0.5, height: 0.5 });
  });

  it('closes a group with its last tab, and gives its space to the others', () => {
    expect(removeTab(two, 'c')).toMatchObject({ kind: 'group', id: 'g0', tab_ids: ['a', 'b'] });
    expect(removeTab(single(['a']), 'a')).toEqual(single([]));
  });

  it('shows the neighbor of a closed tab', () => {
    const shown = removeTab(showTab(single(['a', 'b', 'c']), 'b'), 'b');
    expect(groupsOf(shown)[0]?.shown_id).toBe('c');
  });

  it('moves a tab to the front of another group', () => {
    const moved = moveTab(two, 'a', 'g-c');
    expect(tabsOf(moved)).toEqual([['b'], ['c', 'a']]);
    expect(groupOf(moved, 'a')?.shown_id).toBe('a');
    expect(tabsOf(moveTab(two, 'c', 'g0'))).toEqual([['a', 'b', 'c']]);
  });

  it('opens new tabs in the front group, and drops tabs that are gone', () => {
    expect(tabsOf(withTabs(two, ['a', 'c', 'd'], 'g-c'))).toEqual([['a'], ['c', 'd']]);
    expect(tabsOf(addTab(two, 'g0', 'd'))).toEqual([['a', 'b', 'd'], ['c']]);
  });

  it('survives a reload', () => {
    expect(readLayout(JSON.parse(JSON.stringify(two)), ['a', 'b', 'c'])).toEqual(two);
  });

  it.each([
    ['nothing', undefined],
    [
      'a split of one part',
      { kind: 'split', id: 's', direction: 'row', parts: [single(['a'])], shares: [1] },
    ],
    ['a tab in two places', { ...two, parts: [single(['a']), { ...single(['a']), id: 'g1' }] }],
    ['two groups of one name', { ...two, parts: [single(['a']), single(['b'])] }],
  ])('becomes one pane when it is %s', (_what, kept) => {
    expect(tabsOf(readLayout(kept, ['a', 'b', 'c']))).toEqual([['a', 'b', 'c']]);
  });
});

describe('the dividers between panes', () => {
  it('are placed where one part ends', () => {
    expect(dividersOf(two)).toMatchObject([{ at: 0, left: 0.5, top: 0, length: 1, extent: 1 }]);
  });

  it('move without hiding a part', () => {
    expect(resized([0.5, 0.5], 0, 0.25)).toEqual([0.75, 0.25]);
    expect(resized([0.5, 0.5], 0, 0.9)).toEqual([0.9, expect.closeTo(0.1)]);
    expect(resized([0.5, 0.25, 0.25], 1, -0.5)).toEqual([0.5, expect.closeTo(0.1), expect.closeTo(0.4)]);
  });
});

describe('a dragged tab', () => {
  it.each([
    [0.1, 0.5, 'left'],
    [0.9, 0.5, 'right'],
    [0.5, 0.1, 'top'],
    [0.5, 0.9, 'bottom'],
    [0.5, 0.5, undefined],
  ])('at %d, %d is dropped on %s', (x, y, edge) => {
    expect(edgeAt(x, y)).toBe(edge);
  });
});

describe('a tab put next to another', () => {
  const ids = (layout: Layout) => groupsOf(layout).map(({ tab_ids }) => tab_ids.join(''));

  it('takes its place in that tab’s pane, and is shown', () => {
    const one = single(['a', 'b', 'c'], 'a');
    expect(ids(putNextTo(one, 'c', 'a', 'after'))).toEqual(['acb']);
    expect(ids(putNextTo(one, 'c', 'a', 'before'))).toEqual(['cab']);
    expect(groupOf(putNextTo(one, 'c', 'a', 'after'), 'c')?.shown_id).toBe('c');
    const two = splitAt(one, 'c', { group_id: 'g0', edge: 'right', new_id: 'g1' });
    expect(ids(two)).toEqual(['ab', 'c']);
    expect(ids(putNextTo(two, 'a', 'c', 'before'))).toEqual(['b', 'ac']);
    expect(ids(putNextTo(two, 'c', 'a', 'after'))).toEqual(['acb']);
    expect(putNextTo(two, 'a', 'nothing', 'after')).toBe(two);
  });
});

describe('a reopened tab', () => {
  it('goes back to its own pane, which is made again', () => {
    const layout = removeTab(two, 'c');
    expect(tabsOf(layout)).toEqual([['a', 'b']]);
    expect(putBack(layout, 'c', two)).toEqual(two);
    expect(tabsOf(putBack(removeTab(two, 'a'), 'a', two) ?? two)).toEqual([['a', 'b'], ['c']]);
  });

  it('goes to its former pane, although other tabs have changed since', () => {
    const changed = addTab(removeTab(two, 'b'), 'g0', 'd');
    expect(tabsOf(putBack(changed, 'b', two) ?? two)).toEqual([['a', 'b', 'd'], ['c']]);
    expect(putBack(right(removeTab(two, 'c'), 'b'), 'c', two)).toBeUndefined();
  });

  it('goes back to an empty page', () => {
    const one = single(['a']);
    expect(tabsOf(putBack(removeTab(one, 'a'), 'a', one) ?? two)).toEqual([['a']]);
  });
});
