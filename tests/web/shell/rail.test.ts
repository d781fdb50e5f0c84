import { describe, expect, it } from 'vitest';
import { indexServers } from '../../../apps/web/servers/find/server-index.ts';
import { createOwnLists, readKept } from '../../../apps/web/servers/own-lists.ts';
import {
  groupsOf,
  ownSections,
  type Row,
  sectionAbove,
  treeRows,
} from '../../../apps/web/shell/rail/rows.ts';
import { tagsByUse, tagsThatFit } from '../../../apps/web/shell/rail/tag-chips.ts';
import { serverWith } from '../../support/features/shown-server.ts';

const NONE: ReadonlySet<string> = new Set();

const index = indexServers([
  serverWith({ id: 1, name: 'web-12', group: 'web' }),
  serverWith({ id: 2, name: 'web-2', group: 'web', tags: ['eu', 'prod'] }),
  serverWith({ id: 3, name: 'db-1', group: 'db', tags: ['eu'] }),
  serverWith({ id: 4, name: 'alone' }),
]);

function shown(rows: readonly Row[]): string[] {
  return rows.map((row) => {
    if (row.kind === 'section') return `${row.is_open ? '-' : '+'} ${row.section.id}`;
    return `${index.by_id.get(row.server_id)?.server.name} ${row.position}/${row.count}`;
  });
}

describe('The rows of the rail', () => {
  it('are groups in order, with servers without a group last and names as people count', () => {
    expect(shown(treeRows(groupsOf(index.list), NONE))).toEqual([
      '- group:db',
      'db-1 1/1',
      '- group:web',
      'web-2 1/2',
      'web-12 2/2',
      '- group:',
      'alone 1/1',
    ]);
  });

  it('leave out what is in a collapsed group', () => {
    expect(shown(treeRows(groupsOf(index.list), new Set(['group:web', 'group:'])))).toEqual([
      '- group:db',
      'db-1 1/1',
      '+ group:web',
      '+ group:',
    ]);
  });

  it('begin with the favorites that still exist, and with recents only in a long list', () => {
    const own = { favorites: [1, 99, 2], recents: [3, 4] };
    expect(ownSections(index, own)).toEqual([{ id: 'favorites', server_ids: [2, 1] }]);
    const many = indexServers(Array.from({ length: 11 }, (_, at) => serverWith({ id: at })));
    const recents = [3, 99, 5, 6, 7, 8, 9];
    expect(ownSections(many, { favorites: [], recents })).toEqual([
      { id: 'recents', server_ids: [3, 5, 6, 7, 8] },
    ]);
  });

  it('know the section they are in', () => {
    const rows = treeRows(groupsOf(index.list), NONE);
    expect([0, 1, 4, 6, 99].map((at) => sectionAbove(rows, at))).toEqual([0, 0, 2, 5, 5]);
    expect(sectionAbove([], 0)).toBe(-1);
  });
});

describe('The tags above the tree', () => {
  it('are the most frequent that fit into a line', () => {
    expect(tagsByUse(index)).toEqual(['eu', 'prod']);
    expect(tagsThatFit(['production', 'eu', 'a-long-name', 'us'], 26)).toEqual(['production', 'eu', 'us']);
  });
});

describe('What a user has chosen about servers', () => {
  function createPlace() {
    let value: unknown;
    return {
      read: () => value,
      write: (next: unknown) => {
        value = structuredClone(next);
      },
      clear: () => {
        value = undefined;
      },
    };
  }

  it('is kept, the last opened first', () => {
    const place = createPlace();
    const own = createOwnLists(1, place);
    for (const id of [1, 2, 3, 2]) own.noteOpened(id);
    for (const id of [5, 6, 5]) own.toggleFavorite(id);
    own.setCollapsed(['group:a', 'group:b'], true);
    own.setCollapsed(['group:a'], false);
    const again = createOwnLists(1, place);
    expect([again.recents(), again.favorites(), again.collapsed()]).toEqual([[2, 3, 1], [6], ['group:b']]);
    expect(again.isFavorite(6)).toBe(true);
  });

  it('is not lost when two tabs of the browser change it', () => {
    const place = createPlace();
    const [one, other] = [createOwnLists(1, place), createOwnLists(1, place)];
    one.toggleFavorite(1);
    other.toggleFavorite(2);
    expect(createOwnLists(1, place).favorites()).toEqual([2, 1]);
  });

  it('is bounded, and read field by field', () => {
    const place = createPlace();
    const own = createOwnLists(1, place);
    for (let id = 0; id < 300; id += 1) {
      own.noteOpened(id);
      own.toggleFavorite(id);
    }
    expect([own.recents().length, own.favorites().length]).toEqual([20, 200]);
    expect(readKept({ favorites: [1, 'x', 1], recents: 'no', collapsed: ['a', 2] })).toEqual({
      favorites: [1],
      recents: [],
      collapsed: ['a'],
    });
    for (const kept of [null, 3, 'x', []]) expect(readKept(kept).favorites).toEqual([]);
  });
});
