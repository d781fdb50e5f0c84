import { expect, it } from 'vitest';
import { selectPart } from '#api/http/download.ts';

const FILE = { name: 'a', size: 10, modified: '2026-01-02T03:04:05Z', etag: '"one"' };

it.each(['bytes=2-4', 'BYTES=2-4', 'Bytes=2-4'])('ignores the case of the range unit: %s', (range) => {
  const part = selectPart(FILE, { range, if_range: undefined, if_none_match: undefined });
  expect(part).toEqual({ kind: 'part', start: 2, end: 4 });
});
