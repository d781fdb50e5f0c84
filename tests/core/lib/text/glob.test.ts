import { describe, expect, it } from 'vitest';
import { matchesGlob, matchingLists } from '#core/lib/text/glob.ts';

const MANY = 1_000_000;

/** How many steps the match takes, and its result. */
function match(pattern: string, text: string, steps_left = MANY): [boolean, number] {
  const effort = { steps_left };
  return [matchesGlob(pattern, text, effort), steps_left - effort.steps_left];
}

describe('A pattern', () => {
  it.each([
    ['*', '', true],
    ['?', '', false],
    ['a*b*c', 'aXbXbc', true],
    ['a*b*c', 'aXbXbcd', false],
    ['*a?', 'aaab', true],
    ['a**', 'a', true],
  ])('%s is matched against "%s"', (pattern, text, is_match) => {
    expect(match(pattern, text)[0]).toBe(is_match);
  });

  it('of 255 characters takes at most the product of both lengths in steps', () => {
    const [is_match, steps] = match(`*${'a'.repeat(127)}b`, 'a'.repeat(255));
    expect(is_match).toBe(false);
    expect(steps).toBeLessThan(255 * 255);
  });

  it('stops within the match when no steps are left', () => {
    expect(match(`*${'a'.repeat(90_000)}b`, 'a'.repeat(180_000), 1000)).toEqual([false, 1000]);
  });
});

describe('Lists of patterns', () => {
  const lists = [{ patterns: ['a*', '!ab'] }, { patterns: ['!x'] }, { patterns: ['x', '*b'] }];

  it('match with any of their patterns and none of the negated ones', async () => {
    const find = (name: string) => matchingLists(lists, name, { steps_left: MANY, giveWay: () => undefined });
    expect(await find('ac')).toEqual([lists[0]]);
    expect(await find('ab')).toEqual([lists[2]]);
  });

  it('cost one step for each pattern, even after a negated match, and stop when none is left', async () => {
    const effort = { steps_left: 1000, giveWay: () => undefined };
    expect(
      await matchingLists([{ patterns: ['!*', ...Array(1000).fill('a')] }], 'a', effort),
    ).toBeUndefined();
  });

  it('yield to the event loop regularly', async () => {
    let pauses = 0;
    const giveWay = async () => {
      pauses += 1;
    };
    await matchingLists([{ patterns: Array(100_000).fill('b') }], 'a', { steps_left: MANY, giveWay });
    expect(pauses).toBeGreaterThan(4);
  });
});
