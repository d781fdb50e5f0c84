import { expect, it } from 'vitest';
import { type Conditions, selectPart } from '#api/http/download.ts';

const FILE = { name: 'a', size: 10, modified: '2026-01-02T03:04:05Z', etag: '"one"' };

it.each(['bytes=2-4', 'BYTES=2-4', 'Bytes=2-4'])('ignores the case of the range unit: %s', (range) => {
  const part = selectPart(FILE, { range });
  expect(part).toEqual({ kind: 'part', start: 2, end: 4 });
});

const before = 'Fri, 02 Jan 2026 03:04:04 GMT';
const same = 'Fri, 02 Jan 2026 03:04:05 GMT';
const after = 'Fri, 02 Jan 2026 03:04:06 GMT';

it.each<[string, Conditions, string]>([
  ['the ETag', { if_match: '"one"' }, 'whole'],
  ['one of several', { if_match: '"two", "one"' }, 'whole'],
  ['any file', { if_match: '*' }, 'whole'],
  ['another ETag', { if_match: '"two"' }, 'changed'],
  ['a weak ETag, which is no exact match', { if_match: 'W/"one"' }, 'changed'],
  ['another ETag and a range', { if_match: '"two"', range: 'bytes=0-1' }, 'changed'],
  ['another ETag, before what is known', { if_match: '"two"', if_none_match: '"one"' }, 'changed'],
  [
    'the ETag and an older date, which then does not count',
    { if_match: '"one"', if_unmodified_since: before },
    'whole',
  ],
  ['an older date', { if_unmodified_since: before }, 'changed'],
  ['its own date', { if_unmodified_since: same }, 'whole'],
])('answers If-Match or If-Unmodified-Since with %s', (_what, conditions, kind) => {
  expect(selectPart(FILE, conditions).kind).toBe(kind);
});

it.each<[string, Conditions, string]>([
  ['its own date', { if_modified_since: same }, 'not_modified'],
  ['a later date', { if_modified_since: after }, 'not_modified'],
  ['its own date and a range', { if_modified_since: same, range: 'bytes=0-1' }, 'not_modified'],
  ['an older date', { if_modified_since: before }, 'whole'],
  ['no date', { if_modified_since: 'yesterday' }, 'whole'],
  ['a number', { if_modified_since: '3000' }, 'whole'],
  [
    'its own date and another ETag, which counts more',
    { if_modified_since: same, if_none_match: '"two"' },
    'whole',
  ],
])('answers If-Modified-Since with %s', (_what, conditions, kind) => {
  expect(selectPart(FILE, conditions).kind).toBe(kind);
});
