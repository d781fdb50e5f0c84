import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../apps/web/files/list/entries.ts';
import { createRowClicks } from '../../../apps/web/files/list/row-clicks.ts';

const entry = (path: string): Entry => ({
  name: path,
  path,
  addressable: true,
  is_dir: true,
  is_symlink: false,
  link_target: null,
  size: 0,
  modified: '2026-01-01T00:00:00Z',
  permissions: 'drwxr-xr-x',
  owner: '0',
  group: '0',
});

const CLICK = { detail: 1, shiftKey: false, ctrlKey: false, metaKey: false };

function clicking(selected: readonly Entry[] = []) {
  const opened: string[] = [];
  const reached: [number, string][] = [];
  const clicks = createRowClicks({
    openEntry: (chosen) => opened.push(chosen?.path ?? ''),
    reach: (index, how) => reached.push([index, how]),
    walk: (index) => reached.push([index, 'walk']),
    selected: () => selected,
  });
  return { opened, reached, clicks };
}

describe('a double click', () => {
  it('on a name opens one level, whatever is under the pointer then', () => {
    const { opened, clicks } = clicking();
    clicks.onRow(entry('/a/b'), 1, CLICK); // From the previous list.
    clicks.onName(entry('/a'), 0, CLICK);
    clicks.onName(entry('/a/b'), 0, { ...CLICK, detail: 2 });
    clicks.onDouble(entry('/a/b'));
    expect(opened).toEqual(['/a']);
  });

  it('next to a name opens it, even when the second click hits the name', () => {
    const { opened, clicks } = clicking();
    clicks.onRow(entry('/a'), 0, CLICK);
    clicks.onName(entry('/a'), 0, { ...CLICK, detail: 2 });
    clicks.onDouble(entry('/a'));
    expect(opened).toEqual(['/a']);
  });
});

describe('one click', () => {
  it('next to a name selects; by touch it opens', () => {
    const { opened, reached, clicks } = clicking();
    clicks.onRow(entry('/a'), 0, { ...CLICK, pointerType: 'mouse' });
    clicks.onRow(entry('/b'), 1, { ...CLICK, pointerType: 'touch' });
    expect([opened, reached]).toEqual([
      ['/b'],
      [
        [0, 'one'],
        [1, 'walk'],
      ],
    ]);
  });

  it.each([
    ['Ctrl', { ctrlKey: true }, 'toggle'],
    ['Shift', { shiftKey: true }, 'range'],
  ])('with %s on a name selects and opens nothing', (_key, held, how) => {
    const { opened, reached, clicks } = clicking();
    clicks.onName(entry('/a'), 3, { ...CLICK, ...held });
    clicks.onDouble(entry('/a'));
    expect([opened, reached]).toEqual([[], [[3, how]]]);
  });

  it('by touch adds to an existing selection', () => {
    const { opened, reached, clicks } = clicking([entry('/a')]);
    clicks.onName(entry('/b'), 1, { ...CLICK, pointerType: 'touch' });
    expect([opened, reached]).toEqual([[], [[1, 'toggle']]]);
  });
});
