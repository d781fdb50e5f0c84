import { describe, expect, it } from 'vitest';
import type { Entry } from '../../apps/web/state/listing.ts';
import { createRowClicks } from '../../apps/web/state/row-clicks.ts';

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

function clicking() {
  const opened: string[] = [];
  const clicks = createRowClicks({ openEntry: (chosen) => opened.push(chosen?.path ?? '') });
  return { opened, clicks };
}

describe('a double click', () => {
  it('on a name opens one level, whatever is below the pointer then', () => {
    const { opened, clicks } = clicking();
    clicks.onRow(entry('/a/b'), { detail: 1 }); // from before
    clicks.onName(entry('/a'), { detail: 1 });
    clicks.onName(entry('/a/b'), { detail: 2 });
    clicks.onDouble(entry('/a/b'));
    expect(opened).toEqual(['/a']);
  });

  it('beside a name opens it, also when the second click meets the name', () => {
    const { opened, clicks } = clicking();
    clicks.onRow(entry('/a'), { detail: 1 });
    clicks.onName(entry('/a'), { detail: 2 });
    clicks.onDouble(entry('/a'));
    expect(opened).toEqual(['/a']);
  });
});

describe('one click', () => {
  it('beside a name chooses, with a finger opens', () => {
    const { opened, clicks } = clicking();
    clicks.onRow(entry('/a'), { detail: 1, pointerType: 'mouse' });
    clicks.onRow(entry('/b'), { detail: 1, pointerType: 'touch' });
    expect(opened).toEqual(['/b']);
  });
});
