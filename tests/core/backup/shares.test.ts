import { describe, expect, it } from 'vitest';
import { withinShares } from '#core/backup/pack/shares.ts';
import type { BackupRows } from '#core/ports/repositories/backup.ts';

const user = (id: number, username: string) => ({ id, username });
const snippet = (id: number, user_id: number, length: number) => ({
  id,
  user_id,
  name: '',
  command: 'x'.repeat(length),
  description: '',
});

/** What a share reads. */
function rowsOf(rows: object): BackupRows {
  return {
    users: [user(1, 'ann'), user(2, 'bob')],
    snippets: [],
    quick_keys: [],
    ...rows,
  } as unknown as BackupRows;
}

describe('The rows of one user in a backup', () => {
  it('are limited to a share, oldest first, so that other users keep theirs', () => {
    const snippets = [
      snippet(3, 1, 200_000),
      snippet(1, 1, 100_000),
      snippet(2, 1, 100_000),
      snippet(4, 2, 9),
    ];
    const { rows, left_out, warnings } = withinShares(rowsOf({ snippets }));
    expect(rows.snippets.map(({ id }) => id)).toEqual([1, 2, 4]);
    expect([left_out, warnings]).toEqual([
      1,
      ['1 snippets of ann are not in the bundle: more than one user’s share'],
    ]);
  });

  it('include at most a thousand pinned host keys', () => {
    const quick_keys = Array.from({ length: 1002 }, (_, index) => ({ id: index + 1, user_id: 2 }));
    const { rows, left_out } = withinShares(rowsOf({ quick_keys }));
    expect([rows.quick_keys.length, left_out]).toEqual([1000, 2]);
  });
});
