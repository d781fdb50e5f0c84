import { describe, expect, it } from 'vitest';
import { filtered } from '../../../apps/web/files/list/entries.ts';
import { lookOf } from '../../../apps/web/files/list/look.ts';
import { BLOCK_ROWS, blockIn, rangeOf } from '../../../apps/web/files/list/window.ts';
import { spelledName } from '../../../apps/web/lib/paths.ts';
import { entry } from './entries.ts';

const ROW = 30;
const BLOCK = BLOCK_ROWS * ROW;
const at = (scroll_px: number, count = 100_000) =>
  rangeOf({ scroll_px, height_px: 600 }, { row_px: ROW, count });

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
});

it('filters names by a text, ignoring case', () => {
  const entries = ['Nginx.conf', 'notes', 'b.CONF'].map((name) => entry(name));
  expect(filtered(entries, ' conf ').map(({ name }) => name)).toEqual(['Nginx.conf', 'b.CONF']);
  expect(filtered(entries, '')).toBe(entries);
});

it.each([
  ['photo.JPG', 'image'],
  ['backup.tar.gz', 'archive'],
  ['id_ed25519', 'key'],
  ['nginx.conf', 'config'],
  ['main.rs', 'code'],
  ['README', 'text'],
  ['deploy.sh', 'script'],
  ['unknown.xyz', 'other'],
])('gives %s an icon by its type: %s', (name, look) => {
  expect(lookOf(name)).toBe(look);
});

it('tells names apart that are not UTF-8 and look the same', () => {
  expect(['bytes:/srv/caf%E9', 'bytes:/srv/caf%E8'].map(spelledName)).toEqual(['caf%E9', 'caf%E8']);
});
