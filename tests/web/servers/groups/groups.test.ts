import { describe, expect, it } from 'vitest';
import { isBlocked } from '../../../../apps/web/servers/groups/rename.ts';

describe('The steps that rename a group', () => {
  it.each([
    ['give', ['give'], false],
    ['move', [], false],
    ['move', ['give'], true],
    ['take', [], false],
    ['take', ['give'], true],
    ['take', ['move'], true],
  ] as const)('%s after failures of %j: blocked is %s', (kind, failed, is_blocked) => {
    expect(isBlocked(kind, new Set(failed))).toBe(is_blocked);
  });
});
