import { describe, expect, it } from 'vitest';
import { beforeLast, complete } from '../../../../apps/web/parts/query-bar/complete.ts';
import type { QueryKey } from '../../../../apps/web/parts/query-bar/keys.ts';
import {
  appliedText,
  periodOf,
  readQuery,
  valuesOf,
  withToken,
} from '../../../../apps/web/parts/query-bar/read.ts';
import { readSearches, withSearch } from '../../../../apps/web/parts/query-bar/saved.ts';

const KEYS: readonly QueryKey[] = [
  { key: 'user', label: 'user', is_open: true, values: () => [{ value: 'ana' }, { value: 'anton' }] },
  {
    ...{ key: 'action', label: 'action', is_many: true },
    values: () => [
      { value: 'login_failed', label: 'Sign-in failed' },
      { value: 'login', label: 'Signed in' },
    ],
  },
  { key: 'state', label: 'state', can_exclude: true, values: () => [{ value: 'disabled' }] },
  { key: 'since', label: 'since', is_time: true, values: () => [{ value: 'today' }] },
  { key: 'until', label: 'until', is_time: true },
];
const NOW = new Date(2026, 10, 27, 15, 30);
const read = (text: string) => readQuery(text, KEYS, NOW);
const problems = (text: string) => read(text).tokens.map(({ problem }) => problem?.text);

describe('A query', () => {
  it('has tokens, and words in their order', () => {
    const query = read('user:ana "disk full" -state:disabled x');
    expect(query.words).toEqual(['disk full', 'x']);
    expect(query.words_text).toBe('"disk full" x');
    expect(query.tokens.map(({ name, value, is_negated }) => [name, value, is_negated])).toEqual([
      ['user', 'ana', false],
      ['state', 'disabled', true],
    ]);
  });

  it('takes a value by its name, in any case', () => {
    expect(valuesOf(read('action:"sign-in FAILED"'), 'action')).toEqual(['login_failed']);
    expect(valuesOf(read('action:LOGIN'), 'action')).toEqual(['login']);
  });

  it.each([
    ['nobody:x', 'query_unknown_key'],
    ['user:', 'query_no_value'],
    ['user:""', 'query_no_value'],
    ['-user:ana', 'query_no_exclusion'],
    ['action:nothing', 'query_unknown_value'],
    ['since:soon', 'query_no_time'],
    ['user:x', undefined],
    ['-state:disabled', undefined],
  ])('says what is wrong with %s', (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  it('takes an empty value in quotes where the list has one', () => {
    const keys = [
      { key: 'group', label: 'group', values: () => [{ value: '', label: 'Ungrouped' }] },
    ] as const;
    const [none, typed] = readQuery('group:""', keys).tokens.concat(readQuery('group:', keys).tokens);
    expect([none?.shown, none?.problem, typed?.problem?.text]).toEqual([
      'Ungrouped',
      undefined,
      'query_no_value',
    ]);
  });

  it('says which of two tokens it cannot apply', () => {
    expect(problems('user:ana user:bob')).toEqual([undefined, 'query_only_one']);
    expect(problems('action:login action:login_failed')).toEqual([undefined, undefined]);
    expect(problems('since:today until:yesterday')).toEqual([undefined, 'query_backwards']);
    expect(problems('until:yesterday since:today')).toEqual([undefined, 'query_backwards']);
    expect(problems('until:today since:today')).toEqual([undefined, undefined]);
    expect(valuesOf(read('user:ana user:bob'), 'user')).toEqual(['ana']);
  });

  it('is applied without the tokens that it cannot apply', () => {
    expect(appliedText(read('user:ana nobody:x state:gone "disk full"'))).toBe('user:ana "disk full"');
  });

  it('waits for values that load', () => {
    const [token] = readQuery('state:x', [{ key: 'state', label: 'state', values: () => undefined }]).tokens;
    expect(token?.problem).toBeUndefined();
  });

  it('has a period whose days are whole', () => {
    expect(periodOf(read('since:2026-11-20 until:2026-11-20'), NOW)).toEqual({
      since: new Date(2026, 10, 20).toISOString(),
      until: new Date(2026, 10, 21).toISOString(),
    });
    expect(periodOf(read('since:soon'), NOW)).toEqual({});
  });

  it('gets a token in the place of another with its key', () => {
    expect(withToken(read('user:ana since:today x'), 'user:bob')).toBe('since:today user:bob x');
  });
});

describe('What is typed', () => {
  const texts = (typed: string) =>
    complete(typed, KEYS, ({ key }) => key).map((one) => ('text' in one ? one.text : one.kind));

  it('is completed by keys, and by values of any key', () => {
    expect(texts('')).toEqual(['user:', 'action:', 'state:', 'since:', 'until:']);
    expect(texts('x us')).toEqual(['user:']);
    expect(texts('failed')).toEqual(['action:login_failed']);
    expect(texts('an')).toEqual(['user:ana', 'user:anton']);
  });

  it('is completed by the values of its key, by name and by code', () => {
    expect(texts('user:')).toEqual(['user:ana', 'user:anton']);
    expect(texts('action:fail')).toEqual(['action:login_failed']);
    expect(texts('action:login_f')).toEqual(['action:login_failed']);
    expect(texts('since:')).toEqual(['since:today', 'day']);
    expect(texts('nobody:x')).toEqual([]);
  });

  it('leaves values out where the list can', () => {
    expect(texts('-')).toEqual(['-state:']);
    expect(texts('-state:dis')).toEqual(['-state:disabled']);
  });

  it('keeps what stands before it', () => {
    expect(beforeLast('disk user:an')).toBe('disk ');
    expect(beforeLast('disk ')).toBe('disk ');
  });
});

describe('Saved searches', () => {
  it('keep the newest beyond the limit, and one of each name', () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ name: `s${n}`, text: 'x' }));
    const after = withSearch(many, { name: 'new', text: 'y' });
    expect([after.length, after[0]?.name, after.at(-1)?.name]).toEqual([50, 's1', 'new']);
    expect(withSearch(after, { name: 'new', text: 'z' }).at(-1)).toEqual({ name: 'new', text: 'z' });
    expect(withSearch(after, { name: 'new', text: 'z' })).toHaveLength(50);
  });

  it('are read from anything', () => {
    const good = { name: 'mine', text: 'user:ana' };
    for (const kept of [undefined, null, 'x', 7]) expect(readSearches(kept)).toEqual({});
    expect(
      readSearches({ audit: [good, { name: '', text: 'x' }, { name: 'x' }, null, 7], users: 'x' }),
    ).toEqual({
      audit: [good],
      users: [],
    });
  });
});
