import { describe, expect, it } from 'vitest';
import {
  arrange,
  type Entry,
  findByPrefix,
  nextOrder,
  type Order,
} from '../../../apps/web/files/list/entries.ts';

const entry = (name: string, rest: Partial<Entry> = {}): Entry => ({
  name,
  path: `/${name}`,
  is_dir: false,
  is_symlink: false,
  link_target: null,
  size: 0,
  permissions: '-rw-r--r--',
  owner: '0',
  group: '0',
  modified: '2026-01-01T00:00:00Z',
  addressable: true,
  ...rest,
});
const entries = [
  entry('b10', { size: 5 }),
  entry('.hidden', { size: 9 }),
  entry('B2', { size: 7, modified: '2026-02-01T00:00:00Z' }),
  entry('z', { is_dir: true }),
];
const names = (order: Order, hidden = false) => arrange(entries, order, hidden).map(({ name }) => name);

describe('the file list', () => {
  it('puts directories first and sorts numbers in names by value', () => {
    expect(names({ column: 'name', descending: false })).toEqual(['z', 'B2', 'b10']);
  });

  it('keeps directories first when the order is reversed', () => {
    expect(names({ column: 'name', descending: true })).toEqual(['z', 'b10', 'B2']);
  });

  it('shows hidden files when asked', () => {
    expect(names({ column: 'size', descending: true }, true)).toEqual(['z', '.hidden', 'B2', 'b10']);
  });

  it('starts with the newest and the largest', () => {
    const by_name: Order = { column: 'name', descending: false };
    expect(nextOrder(by_name, 'modified')).toEqual({ column: 'modified', descending: true });
    expect(nextOrder(by_name, 'name')).toEqual({ column: 'name', descending: true });
  });

  it('finds the next name that starts with the typed text, wrapping around', () => {
    expect(findByPrefix(entries, 'b', 1)).toBe(2);
    expect(findByPrefix(entries, 'b', 3)).toBe(0);
    expect(findByPrefix(entries, 'q', 0)).toBeUndefined();
  });
});
