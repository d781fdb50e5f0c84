import { describe, expect, it } from 'vitest';
import { callsIn, MARKS, strongestOf } from '../../../apps/web/workspace/tabs/marks.ts';

describe('The mark of a tab', () => {
  it('is the strongest of what happened: the end, then a bell, then output', () => {
    expect(MARKS.map((one) => MARKS.map((other) => strongestOf(one, other)))).toEqual([
      ['output', 'bell', 'ended'],
      ['bell', 'bell', 'ended'],
      ['ended', 'ended', 'ended'],
    ]);
    expect(strongestOf(undefined, 'output')).toBe('output');
  });

  it('counts in the title of the page unless it is output alone', () => {
    expect(callsIn({})).toBe(0);
    expect(callsIn({ one: 'output', two: 'bell', three: 'ended' })).toBe(2);
  });
});
