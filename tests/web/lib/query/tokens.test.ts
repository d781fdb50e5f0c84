import { describe, expect, it } from 'vitest';
import { formatToken, formatWord, splitQuery } from '../../../../apps/web/lib/query/tokens.ts';

const read = (text: string) =>
  splitQuery(text).map(({ key, value, is_negated }) => [is_negated ? `-${key}` : key, value]);

describe('The text of a query', () => {
  it('has words and tokens, quoted or not', () => {
    expect(read('User:ana -server:web-1 since:yesterday "disk full" x')).toEqual([
      ['user', 'ana'],
      ['-server', 'web-1'],
      ['since', 'yesterday'],
      [undefined, 'disk full'],
      [undefined, 'x'],
    ]);
  });

  it('keeps addresses, paths and times as words', () => {
    for (const word of ['https://host/a', 'c:\\temp', '12:30', '/etc/nginx.conf', '-', ':', '::1'])
      expect(read(word)).toEqual([[undefined, word]]);
  });

  it('may end inside a quotation mark', () => {
    const [part] = splitQuery('server:"web 1');
    expect([part?.key, part?.value, part?.is_closed]).toEqual(['server', 'web 1', false]);
    expect(splitQuery('server:"web 1"')[0]?.is_closed).toBe(true);
  });

  const HOSTILE = [
    ...[
      '',
      ' ',
      '"',
      '""',
      '\\',
      '\\\\',
      '\\"',
      '"\\',
      'a "b" c',
      'c:\\temp\\',
      '/x',
      '\\\\host\\share',
      'user:ana',
      '-is:x',
      'a:b:c',
    ],
    ...['é ñ 漢字 🔑', '\u202e', '<b>', "'; drop", '%22', '&q=1', '#', '\n', '\t"\\'],
  ];

  it.each(HOSTILE)('returns %j as it was formatted', (text) => {
    expect(read(formatWord(text))).toEqual([[undefined, text]]);
    expect(read(formatToken('user', text, true))).toEqual([['-user', text]]);
    expect(read(`a ${formatWord(text)} ${formatToken('key', `x${text}`)} b`)).toEqual([
      ...[
        [undefined, 'a'],
        [undefined, text],
        ['key', `x${text}`],
      ], // neighbours stay apart
      [undefined, 'b'],
    ]);
  });

  it('reads a long hostile text at once', () => {
    const text = '"\\"'.repeat(5_000) + 'a:"'.repeat(5_000);
    const before = performance.now();
    expect(splitQuery(text).length).toBeGreaterThan(0);
    expect(performance.now() - before).toBeLessThan(2000);
  });
});
