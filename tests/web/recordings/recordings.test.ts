import { expect, it } from 'vitest';
import { spanOfPage } from '../../../apps/web/parts/page-span.ts';
import { readQuery } from '../../../apps/web/parts/query-bar/read.ts';
import { recordingConditions, textOf } from '../../../apps/web/recordings/query.ts';
import {
  formatDuration,
  isLarge,
  RECORDINGS_PAGE,
  type Recording,
} from '../../../apps/web/recordings/recordings.ts';
import { joinFound } from '../../../apps/web/recordings/search/list.ts';

it('shows the duration of a recording', () => {
  expect([0, 9.4, 62, 3599.6, 36_061].map(formatDuration)).toEqual([
    ...['0:00', '0:09', '1:02', '1:00:00', '10:01:01'],
  ]);
});

it('asks for a server by its id, and for days of the user', () => {
  const keys = [
    { key: 'user', label: 'user', is_open: true },
    { key: 'server', label: 'server', values: () => [{ value: 'web-1' }] },
    { key: 'since', label: 'since', is_time: true },
  ] as const;
  const conditions = (text: string) => recordingConditions(readQuery(text, keys), [{ id: 7, name: 'web-1' }]);
  expect(conditions('user:ann server:WEB-1 since:2026-01-02 disk full')).toEqual({
    ...{ username: 'ann', server_id: 7, from: new Date(2026, 0, 2).toISOString() },
  });
  expect(conditions('server:gone')).toEqual({});
  expect(textOf(readQuery('user:ann disk "full of"', keys))).toBe('disk full of');
});

it('lists what was found by name and by what was shown once, the newest first', () => {
  const of = (id: number, started_at: string) => ({ id, started_at }) as Recording;
  const [one, two, three] = [of(1, '2026-01-01'), of(2, '2026-01-02'), of(3, '2026-01-03')];
  const matches = [{ at_s: 1, line: 'disk full' }];
  const found = [two, three].map((recording) => ({ type: 'found' as const, recording, matches }));
  const rows = joinFound([two, one], found);
  expect(rows.map(({ recording, matches: lines }) => [recording.id, lines.length])).toEqual([
    ...[
      [3, 1],
      [2, 1],
      [1, 0],
    ],
  ]);
});

it('numbers recordings across pages', () => {
  expect(spanOfPage(0, { each: RECORDINGS_PAGE, shown: 50, total: 70 })).toEqual({
    from: 1,
    to: 50,
    has_more: true,
  });
  expect(spanOfPage(1, { each: RECORDINGS_PAGE, shown: 20, total: 70 })).toEqual({
    from: 51,
    to: 70,
    has_more: false,
  });
});

it('knows which recordings are too large for a tab', () => {
  expect([null, 200, 8 * 2 ** 20, 8 * 2 ** 20 + 1].map((size_bytes) => isLarge({ size_bytes }))).toEqual([
    ...[false, false, false, true],
  ]);
});
