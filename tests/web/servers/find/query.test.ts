import { describe, expect, it } from 'vitest';
import { hasToken, isEmptyQuery, parseQuery, toggleToken } from '../../../../apps/web/servers/find/query.ts';

describe('A query', () => {
  it('consists of words and tokens in any order', () => {
    const { words, ...tokens } = parseQuery('tag:prod fra is:offline group:"big shop" Web-1 tag:"a b');
    expect(words.names).toEqual(['fra', 'web1']);
    expect(tokens).toEqual({
      tags: ['prod', 'a b'],
      groups: ['big shop'],
      states: ['offline'],
      is_favorite: false,
    });
  });

  it('is empty while nothing is asked for', () => {
    for (const text of ['', '  ', 'tag:', 'is: group:', '-', '"'])
      expect(isEmptyQuery(parseQuery(text))).toBe(true);
    for (const text of ['a', 'is:favorite', 'tag:x', '0']) expect(isEmptyQuery(parseQuery(text))).toBe(false);
  });

  it('gains and loses tokens without changing the rest', () => {
    expect(toggleToken('fra "big one"', 'tag', 'prod')).toBe('fra "big one" tag:prod');
    expect(toggleToken('tag:eu fra tag:Prod', 'tag', 'prod')).toBe('tag:eu fra');
    expect(toggleToken('', 'group', 'big shop')).toBe('group:"big shop"');
    expect(toggleToken('group:"big shop" x', 'group', 'big shop')).toBe('x');
  });

  it('has a token however it is written', () => {
    expect(hasToken('a TAG:"Prod"', 'tag', 'prod')).toBe(true);
    expect(hasToken('tag:production prod', 'tag', 'prod')).toBe(false);
  });
});
