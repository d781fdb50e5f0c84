import { expect, it } from 'vitest';
import { collectNames } from '#worker/sftp/tree/account-names.ts';

const STATS = { size: 123, uid: 33, gid: 1000, mode: 0o100644, atime: 1, mtime: 1 };

function namesIn(...lines: readonly string[]) {
  const names = { users: new Map<string, string>(), groups: new Map<string, string>() };
  lines.forEach((line, nth) => {
    collectNames(names, { line, attrs: { ...STATS, uid: STATS.uid + nth } });
  });
  return { users: Object.fromEntries(names.users), groups: Object.fromEntries(names.groups) };
}

it('takes the names of owner and group from the line of a listing', () => {
  expect(namesIn('-rw-r--r--    1 www-data staff         123 Jan  2 03:04 a')).toEqual({
    users: { 33: 'www-data' },
    groups: { 1000: 'staff' },
  });
  expect(namesIn('drwxr-xr-x+   1 j\xc3\xb6rg EX\\people 123 Jan  2  2024 a').users).toEqual({ 33: 'jörg' });
});

it.each([
  ['an empty line', ''],
  ['a name with a space', '-rw-r--r--    1 www-data domain users 123 Jan  2 03:04 a'],
  ['another size than that of the entry', '-rw-r--r--    1 www-data staff         9 Jan  2 03:04 a'],
  ['a control character', '-rw-r--r--    1 www\u001b-data staff 123 Jan  2 03:04 a'],
  ['a name that is too long', `-rw-r--r--    1 ${'x'.repeat(65)} staff 123 Jan  2 03:04 a`],
])('takes none from %s', (_what, line) => {
  expect(namesIn(line)).toEqual({ users: {}, groups: {} });
});

it('takes a bounded number of names from a host that invents them', () => {
  const lines = Array.from({ length: 2000 }, (_, nth) => `-rw-r--r-- 1 user${nth} staff 123 Jan  2 03:04 a`);
  expect(Object.keys(namesIn(...lines).users)).toHaveLength(1000);
});
