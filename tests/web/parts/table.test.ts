import { describe, expect, it } from 'vitest';
import { createBulkRun } from '../../../apps/web/parts/table/bulk-run.ts';
import { fitColumns, layOut } from '../../../apps/web/parts/table/column.ts';
import { readColumns, readWidths } from '../../../apps/web/parts/table/kept-columns.ts';
import { hasWords, nextOrder, sortRows } from '../../../apps/web/parts/table/order.ts';
import { partInSight } from '../../../apps/web/parts/table/rows-in-sight.ts';
import { choose, chooseAll, NOTHING, rowAfter } from '../../../apps/web/parts/table/selection.ts';

describe('sorting a table', () => {
  const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).join(' ');
  const rows = ['web-12', 'Web-2', 'db', 'web-1'].map((name) => ({ name }));

  it('orders names naturally and without case', () => {
    expect(names(sortRows(rows, ({ name }) => name, false))).toBe('db web-1 Web-2 web-12');
    expect(names(sortRows(rows, ({ name }) => name, true))).toBe('web-12 Web-2 web-1 db');
  });

  it('orders numbers by size, and puts what is missing last in both directions', () => {
    const sizes = [9, undefined, 10, 1];
    const sorted = (is_descending: boolean) => sortRows(sizes, (size) => size, is_descending);
    expect(sorted(false)).toEqual([1, 9, 10, undefined]);
    expect(sorted(true)).toEqual([10, 9, 1, undefined]);
  });

  it('keeps the order of equal rows', () => {
    const equal = [
      { name: 'b', group: 'x' },
      { name: 'a', group: 'x' },
    ];
    expect(names(sortRows(equal, ({ group }) => (group === 'x' ? 1 : 0), true))).toBe('b a');
  });

  it('goes from ascending to descending to the order of the list', () => {
    const up = nextOrder(undefined, 'name');
    const down = nextOrder(up, 'name');
    expect([up, down, nextOrder(down, 'name')]).toEqual([
      { column_id: 'name', is_descending: false },
      { column_id: 'name', is_descending: true },
      undefined,
    ]);
    expect(nextOrder(down, 'status')).toEqual({ column_id: 'status', is_descending: false });
  });
});

describe('filtering a table', () => {
  it('takes words in any order and from any column', () => {
    expect(hasWords(['harbor', 'production eu'], 'EU harb')).toBe(true);
    expect(hasWords(['harbor', 'production eu'], 'harbor us')).toBe(false);
    expect(hasWords(['harbor'], '  ')).toBe(true);
  });
});

describe('selecting rows', () => {
  const ids = [5, 6, 7, 8, 9];
  const chosen = (...steps: Parameters<typeof choose>[2][]) => {
    const end = steps.reduce((selection, step) => choose(selection, ids, step), NOTHING);
    return [...end.chosen].sort();
  };

  it('toggles one row', () => {
    expect(chosen({ index: 1, reach: 'toggle' }, { index: 3, reach: 'toggle' })).toEqual([6, 8]);
    expect(chosen({ index: 1, reach: 'toggle' }, { index: 1, reach: 'toggle' })).toEqual([]);
  });

  it('selects a range from the last toggled row, in both directions, instead of what was selected', () => {
    const from = { index: 2, reach: 'toggle' } as const;
    expect(chosen(from, { index: 4, reach: 'range' })).toEqual([7, 8, 9]);
    expect(chosen(from, { index: 4, reach: 'range' }, { index: 0, reach: 'range' })).toEqual([5, 6, 7]);
  });

  it('adds a range', () => {
    const steps = [
      { index: 0, reach: 'toggle' },
      { index: 3, reach: 'toggle' },
    ] as const;
    expect(chosen(...steps, { index: 4, reach: 'range_more' })).toEqual([5, 8, 9]);
  });

  it('begins a range at the row itself when its anchor is gone', () => {
    const gone = { chosen: new Set([1]), anchor: 1 };
    expect([...choose(gone, ids, { index: 2, reach: 'range' }).chosen]).toEqual([7]);
  });

  it('selects all', () => {
    expect(chooseAll(ids).chosen.size).toBe(5);
  });

  it('moves by keys within the rows', () => {
    const rows = { last: 9, page: 4 };
    const to = (key: string, index: number) => rowAfter(key, index, rows);
    expect([to('ArrowDown', 9), to('ArrowUp', 0), to('PageDown', 3), to('Home', 5), to('End', 5)]).toEqual([
      9, 0, 7, 0, 9,
    ]);
    expect(to('x', 5)).toBeUndefined();
  });
});

describe('a narrow table', () => {
  const columns = [
    { id: 'server', width: 130, grow: 1, is_row_name: true },
    { id: 'detail', width: 180, rank: 3 },
    { id: 'user', width: 110, rank: 1 },
    { id: 'time', width: 130, rank: 2 },
    { id: 'size', width: 90, rank: 4 },
    { id: 'state', width: 130, is_beside_name: true },
    { id: 'action', width: 190, narrow_width: 100, is_title_hidden: true },
  ];
  const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

  it('has rows of two lines: name and state, then what matters most', () => {
    const { widths, beside, below, is_narrow } = layOut(columns, 360);
    expect([...widths]).toEqual([
      ['server', 260],
      ['action', 100],
    ]);
    expect([idsOf(beside), idsOf(below), is_narrow]).toEqual([['state'], ['user', 'time', 'detail'], true]);
  });

  it('keeps rows of one line if all columns fit, and a wide one leaves columns out', () => {
    const few = columns.filter(({ id }) => id === 'server' || id === 'time');
    expect([layOut(few, 360).is_narrow, layOut(columns, 690).is_narrow]).toEqual([false, false]);
    expect([...layOut(columns, 690).widths.keys()]).toEqual(['server', 'user', 'time', 'state', 'action']);
  });
});

describe('the columns of a table', () => {
  const columns = [
    { id: 'name', width: 120, grow: 1 },
    { id: 'status', width: 100 },
    { id: 'group', width: 100, rank: 1 },
    { id: 'key', width: 100, rank: 2 },
  ];

  it('share the width that is left', () => {
    expect([...fitColumns(columns, 600)]).toEqual([
      ['name', 300],
      ['status', 100],
      ['group', 100],
      ['key', 100],
    ]);
  });

  it('are dropped where they do not fit, the least important first', () => {
    expect([...fitColumns(columns, 350).keys()]).toEqual(['name', 'status', 'group']);
    expect([...fitColumns(columns, 250).keys()]).toEqual(['name', 'status']);
    expect([...fitColumns(columns, 200)]).toEqual([
      ['name', 100],
      ['status', 100],
    ]);
  });

  it('have the width that the user sets, within bounds, and the others share what is left', () => {
    const text = { id: 'text', width: 100, grow: 1 };
    const name = { id: 'name', width: 100, grow: 1 };
    const date = { id: 'date', width: 130 };
    expect([...fitColumns([name, text, date], 600, { text: 200 }).values()]).toEqual([270, 200, 130]);
    expect(fitColumns([name, text, date], 600, { text: 10, date: 10 }).get('text')).toBe(72);
    expect(fitColumns([name, text, date], 600, { date: 10 }).get('date')).toBe(130); // a date is never cut
    expect([...fitColumns([name, text, date], 400, { text: 900 }).values()]).toEqual([100, 170, 130]);
  });

  it('have widths that are read from storage as numbers only', () => {
    expect(readWidths({ servers: { name: 90, tags: 'wide', via: -1 }, users: 3 })).toEqual({
      servers: { name: 90 },
      users: {},
    });
    expect(readWidths('none')).toEqual({});
  });

  it('are read from storage as lists of names only', () => {
    expect(readColumns({ servers: ['key', 5], users: 'all' })).toEqual({ servers: ['key'], users: [] });
    expect(readColumns('nonsense')).toEqual({});
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`t${at}`, Array(100).fill('x')]));
    expect(Object.keys(readColumns(many))).toHaveLength(40);
    expect(readColumns(many)['t0']).toHaveLength(40);
  });
});

describe('the rows in sight of a table', () => {
  const shape = { count: 5000, row_px: 36, overscan: 12 };

  it('are those between top and bottom and some around them, in whole blocks', () => {
    expect(partInSight({ top_px: 0, height_px: 720 }, shape)).toEqual({ first: 0, end: 32 });
    expect(partInSight({ top_px: -36 * 1001, height_px: 720 }, shape)).toEqual({ first: 988, end: 1036 });
    expect(partInSight({ top_px: -36 * 1001, height_px: 720 }, { ...shape, overscan: 0 })).toEqual({
      first: 1000,
      end: 1024,
    });
  });

  it('end with the last row', () => {
    expect(partInSight({ top_px: -36 * 4990, height_px: 720 }, shape).end).toBe(5000);
    expect(partInSight({ top_px: -36 * 9000, height_px: 720 }, shape)).toEqual({ first: 4996, end: 5000 });
  });
});

describe('an action on several rows', () => {
  it('runs row by row, goes on after a failure, and leaves out rows with a reason', async () => {
    const order: string[] = [];
    const run = createBulkRun<string>(
      {
        skips: (row) => (row === 'own' ? 'Not yourself' : undefined),
        async run(row, value) {
          order.push(`${row}+${value}`);
          if (row === 'bad') throw new Error('refused');
          return 'ok';
        },
        after: () => order.push('after'),
      },
      ['one', 'bad', 'own', 'two'],
    );
    expect(run.state()).toBe('asking');
    await run.start('eu');
    expect(order).toEqual(['one+eu', 'bad+eu', 'two+eu', 'after']);
    expect(run.outcomes().map(({ kind }) => kind)).toEqual(['done', 'failed', 'skipped', 'done']);
    expect([run.failed(), run.state()]).toEqual([1, 'done']);
  });

  it('stops after the request under way', async () => {
    const done: string[] = [];
    const run = createBulkRun<string>(
      {
        async run(row) {
          done.push(row);
          run.stop();
        },
      },
      ['one', 'two'],
    );
    await run.start('');
    expect(done).toEqual(['one']);
    expect(run.outcomes()).toHaveLength(1);
  });
});
