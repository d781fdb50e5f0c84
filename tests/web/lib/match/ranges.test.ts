import { describe, expect, it } from 'vitest';
import {
  type Range,
  rangesInLabel,
  rangesInName,
  rangesInText,
  rangesOfLetters,
} from '../../../../apps/web/lib/match/ranges.ts';
import { toWords, type Words } from '../../../../apps/web/lib/match/rank.ts';

type Find = (words: Words, text: string) => Range[];

function marked(find: Find, query: string, text: string): string {
  const ranges = find(toWords(query.split(' ')), text);
  return ranges.reduceRight(
    (done, { from, to }) => `${done.slice(0, from)}[${done.slice(from, to)}]${done.slice(to)}`,
    text,
  );
}

describe('The letters that matched', () => {
  it.each([
    ['web12', 'eu-web-12', 'eu-[web-12]'],
    ['web 12', 'eu-web-12', 'eu-[web-12]'],
    ['12 web', 'eu-web-12', 'eu-[web]-[12]'],
    ['eb', 'ebb-web', '[eb]b-web'],
    ['wb', 'awb-wbx', 'awb-[wb]x'],
    ['cafe', 'Le Café', 'Le [Café]'],
    ['cafe', 'Le Cafe\u0301!', 'Le [Cafe]\u0301!'],
    ['🚀', 'a🚀b', 'a[🚀]b'],
    ['fra', 'web-1', 'web-1'],
  ])('%j in the name %j', (query, name, expected) => {
    expect(marked(rangesInName, query, name)).toBe(expected);
  });

  it('are shown one by one when they are scattered', () => {
    expect(marked(rangesOfLetters, 'pdb2', 'prod-database-02')).toBe('[p]ro[d]-data[b]ase-[02]');
  });

  it('are found in labels without separators, and in addresses with each of them', () => {
    expect(marked(rangesInLabel, 'bigshop', 'the Big-Shop')).toBe('the [Big-Shop]');
    expect(marked(rangesInText, '0.1 root', 'root@10.0.0.1')).toBe('[root]@10.0.[0.1]');
  });

  it('join where they touch', () => {
    expect(marked(rangesInName, 'ab bc', 'abc')).toBe('[abc]');
  });
});
