import { expect, it } from 'vitest';
import { spanOfPage } from '../../../apps/web/parts/page-span.ts';
import {
  ALL_RECORDINGS,
  formatDuration,
  isFiltered,
  isLarge,
  RECORDINGS_PAGE,
} from '../../../apps/web/recordings/recordings.ts';

it('shows the duration of a recording', () => {
  expect([0, 9.4, 62, 3599.6, 36_061].map(formatDuration)).toEqual([
    ...['0:00', '0:09', '1:02', '1:00:00', '10:01:01'],
  ]);
});

it('knows whether a filter is set', () => {
  expect(isFiltered({ ...ALL_RECORDINGS, page: 3, search: ' ' })).toBe(false);
  for (const part of [{ search: 'x' }, { username: 'ann' }, { server_id: 3 }])
    expect(isFiltered({ ...ALL_RECORDINGS, ...part })).toBe(true);
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
