import { describe, expect, it } from 'vitest';
import { needlesOf, sliceFor } from '../../../db/repositories/audit/entries.ts';
import { toTrigramQuery } from '../../../db/repositories/audit/trigrams.ts';

const TEXTS = Array.from({ length: 10 }, (_, n) => `${n}`.padStart(3, 'x').repeat(13));

describe('The texts of a search', () => {
  it('are looked for once, and not within another one', () => {
    const filter = { search: 'DISK', searches: ['disk', 'is', 'disk full', ''], address: '10.' };
    expect(needlesOf(filter)).toEqual(['disk full', '\n10.']);
    expect(needlesOf({ searches: '' })).toEqual([]);
  });

  it('cost one statement no more the more there are', () => {
    expect(sliceFor({}, 5000)).toBe(5000);
    expect(sliceFor({ search: 'disk' }, 5000)).toBe(5000);
    expect(sliceFor({ searches: TEXTS }, 5000)).toBe(500);
    const termsOf = (searches: readonly string[]) =>
      toTrigramQuery({ searches: [...searches] })?.split(' AND ').length ?? 0;
    expect(termsOf(TEXTS)).toBeLessThanOrEqual(70);
    expect(termsOf(['disk full', 'sda1'])).toBe(6);
  });
});
