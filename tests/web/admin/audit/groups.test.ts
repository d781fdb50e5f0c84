import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../apps/web/admin/audit/audit.ts';
import { groupEntries, placeOfGroup } from '../../../../apps/web/admin/audit/groups.ts';

let next = 1000;
const entry = (fields: Partial<AuditEntry> = {}): AuditEntry => {
  next -= 1;
  return {
    ...{ id: next, user_id: 1, username: 'ana', action: 'sftp_upload', detail: `web (#7): /srv/a/${next}` },
    ...{ ip_address: '', created_at: '2026-01-01T00:00:00.000Z', hash: '', via: 'page', ...fields },
  };
};
const many = (count: number, fields: Partial<AuditEntry> = {}) =>
  Array.from({ length: count }, () => entry(fields));
const sizes = (entries: readonly AuditEntry[]) => groupEntries(entries).map((row) => row.entries.length);

describe('Entries of one go', () => {
  it('are one row', () => {
    expect(sizes(many(200))).toEqual([200]);
  });

  it('are not joined with another user, server, way or action, nor across another entry', () => {
    expect(sizes([...many(3), ...many(3, { username: 'bob' }), ...many(3)])).toEqual([3, 3, 3]);
    expect(sizes([...many(3), ...many(3, { detail: 'db (#8): /x' })])).toEqual([3, 3]);
    expect(sizes([...many(3), ...many(3, { via: 'api' })])).toEqual([3, 3]);
    expect(sizes([...many(3), entry({ action: 'login', detail: 'local' }), ...many(2)])).toEqual([
      3, 1, 1, 1,
    ]);
  });

  it('are joined about files only, and not when there are two', () => {
    expect(sizes(many(4, { action: 'terminal_open', detail: 'web (#7)' }))).toEqual([1, 1, 1, 1]);
    expect(sizes(many(2))).toEqual([1, 1]);
  });

  it('follow their row while it is open', () => {
    const entries = many(3);
    const [row] = groupEntries(entries);
    const rows = groupEntries(entries, (id) => id === row?.id);
    expect(rows.map(({ is_member }) => is_member)).toEqual([false, true, true, true]);
    expect(groupEntries([entry(), ...entries])[0]?.id).toBe(row?.id); // one more does not close it
  });

  it('are named by the folder that has all of them', () => {
    const [row] = groupEntries(['a/1', 'a/b/2', 'ab/3'].map((p) => entry({ detail: `web (#7): /srv/${p}` })));
    expect(row && placeOfGroup(row)).toBe('web (#7): /srv');
    const [root] = groupEntries(['a', 'b', 'c/d'].map((p) => entry({ detail: `web (#7): /${p}` })));
    expect(root && placeOfGroup(root)).toBe('web (#7): /');
  });
});
