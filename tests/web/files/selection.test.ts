import { describe, expect, it } from 'vitest';
import {
  choose,
  chooseAll,
  NOTHING,
  neighborPath,
  type Reach,
  reachOf,
  totalSize,
} from '../../../apps/web/files/list/selection.ts';
import { entry } from './entries.ts';

const entries = ['a', 'b', 'c', 'd', 'e'].map((name) => entry(name));
const names = (steps: readonly (readonly [number, Reach])[]) => {
  const end = steps.reduce(
    (selection, [index, reach]) => choose(selection, entries, { index, reach }),
    NOTHING,
  );
  return [...end.chosen].map((path) => path.slice(-1)).join('');
};

describe('the selection', () => {
  it.each<[string, readonly (readonly [number, Reach])[], string]>([
    [
      'one click chooses one',
      [
        [1, 'one'],
        [3, 'one'],
      ],
      'd',
    ],
    [
      'Ctrl adds and takes away',
      [
        [1, 'one'],
        [3, 'toggle'],
        [1, 'toggle'],
      ],
      'd',
    ],
    [
      'Shift chooses from the last to here',
      [
        [1, 'one'],
        [3, 'range'],
      ],
      'bcd',
    ],
    [
      'Shift again begins at the same place',
      [
        [2, 'one'],
        [4, 'range'],
        [0, 'range'],
      ],
      'abc',
    ],
    [
      'Shift begins where Ctrl was last',
      [
        [0, 'one'],
        [2, 'toggle'],
        [3, 'range'],
      ],
      'cd',
    ],
    [
      'Ctrl and Shift add a range',
      [
        [0, 'one'],
        [2, 'toggle'],
        [3, 'range_more'],
      ],
      'acd',
    ],
    ['a range from nowhere is one', [[2, 'range']], 'c'],
  ])('%s', (_rule, steps, chosen) => {
    expect(names(steps)).toBe(chosen);
  });

  it('never contains an entry that no operation can address', () => {
    const odd = [entry('a'), entry('?', { addressable: false }), entry('c')];
    expect([...chooseAll(odd).chosen]).toEqual(['/srv/a', '/srv/c']);
    expect(choose(NOTHING, odd, { index: 1, reach: 'toggle' }).chosen.size).toBe(0);
  });

  it('follows the modifier keys', () => {
    const held = { shiftKey: false, ctrlKey: false, metaKey: false };
    const ways = [held, { ...held, metaKey: true }, { ...held, shiftKey: true }];
    expect(ways.map(reachOf)).toEqual(['one', 'toggle', 'range']);
  });

  it('adds up the bytes of files, not of directories', () => {
    expect(totalSize([entry('a'), entry('d', { is_dir: true, size: 4096 })])).toBe(10);
  });
});

describe('the cursor after a deletion', () => {
  it.each([
    ['bc', 'd'],
    ['e', 'd'],
    ['ae', 'd'],
    ['abcde', undefined],
    ['', undefined],
  ])('of %j moves to %s', (gone, next) => {
    expect(neighborPath(entries, new Set([...gone].map((name) => `/srv/${name}`)))).toBe(
      next && `/srv/${next}`,
    );
  });
});
