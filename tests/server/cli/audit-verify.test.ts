import { expect, it } from 'vitest';
import { describeVerdict } from '#server/cli/audit-verify.ts';

const checkpoint = {
  removed: 300,
  until: '2026-01-01T00:00:00.000Z',
  removed_at: '2026-03-01T00:00:00.000Z',
};
const intact = {
  ...{ ok: true, entries: 10, verified_before: null, restored: 0 },
  ...{ checkpoint: null, first_bad_id: null, reason: null },
};

it('audit verify says from when the log is complete', () => {
  expect(describeVerdict(intact)).toBe('The audit log is intact: 10 entries');
  expect(describeVerdict({ ...intact, checkpoint })).toBe(
    'The audit log is intact: 10 entries, after 2026-01-01T00:00:00.000Z; retention removed 300 older entries',
  );
});

it('audit verify says what it has not read again', () => {
  const verified_before = { entries: 500, began_at: '2026-03-01T00:00:00.000Z' };
  expect(describeVerdict({ ...intact, verified_before })).toBe(
    'The audit log is intact: 10 entries. 500 more were verified from 2026-03-01T00:00:00.000Z on and not read again',
  );
});

it('audit verify counts the entries that a search may miss', () => {
  expect(describeVerdict({ ...intact, hidden: 2 })).toBe(
    'The audit log is intact: 10 entries. A search may miss 2 of them: verify on the page to repair this',
  );
});

it('audit verify names a forged checkpoint', () => {
  const reason = 'checkpoint_forged' as const;
  expect(describeVerdict({ ...intact, ok: false, checkpoint, reason })).toBe(
    'The audit log is NOT intact (checkpoint_forged); 10 entries are valid',
  );
});
