import { describe, expect, it } from 'vitest';
import { nearName } from '../../../../apps/web/lib/match/near.ts';

const GROUPS = ['', 'prod', 'staging', 'lab', 'web1'];

describe('A mistyped name', () => {
  it.each([
    ['prdo', 'prod'],
    ['Prod', 'prod'],
    ['prd', 'prod'],
    ['stagging', 'staging'],
    ['satging', 'staging'],
    ['labb', 'lab'],
  ])('%s is taken for %s', (typed, meant) => {
    expect(nearName(typed, GROUPS)).toBe(meant);
  });

  it.each(['prod', ' prod ', '', 'customers', 'web2', 'qa', 'x'.repeat(1000)])(
    '%s is not questioned',
    (typed) => {
      expect(nearName(typed, GROUPS)).toBeUndefined();
    },
  );
});
