import { describe, expect, it } from 'vitest';
import { formatAmount, parseAmount, withUnits } from '../../../../apps/web/admin/settings/units.ts';

describe('a time or size in the settings', () => {
  it.each([
    [0, 'seconds', '0 s'],
    [0, 'days', '0 d'],
    [0, 'bytes', '0 B'],
    [0, 'count', '0'],
    [45, 'seconds', '45 s'],
    [90, 'seconds', '1 min 30 s'],
    [900, 'seconds', '15 min'],
    [5400, 'seconds', '1 h 30 min'],
    [31_536_000, 'seconds', '365 d'],
    [30, 'days', '30 d'],
    [20 * 2 ** 20, 'bytes', '20 MiB'],
    [2 ** 30, 'bytes', '1 GiB'],
    [20_000_000, 'bytes', '20 MB'],
    [2_000_000_000, 'bytes', '2 GB'],
    [1536 * 2 ** 20, 'bytes', '1536 MiB'],
    [1_048_577, 'bytes', '1048577 B'],
    [10_000, 'count', '10000'],
  ] as const)('%d %s is shown as %s, and typed like that', (value, kind, text) => {
    expect(formatAmount(value, kind)).toBe(text);
    expect(parseAmount(text, kind)).toBe(value);
  });

  it.each([
    ['0', 'seconds', 0],
    ['0', 'bytes', 0],
    [' 15min ', 'seconds', 900],
    ['15 minutes', 'seconds', 900],
    ['1.5 h', 'seconds', 5400],
    ['1,5 horas', 'seconds', 5400],
    ['1h 30m', 'seconds', 5400],
    ['2 weeks', 'days', 14],
    ['20mb', 'bytes', 20_000_000],
    ['1.5 GiB', 'bytes', 1.5 * 2 ** 30],
    ['512', 'count', 512],
  ] as const)('takes %s', (text, kind, value) => {
    expect(parseAmount(text, kind)).toBe(value);
  });

  it.each([
    ['', 'seconds'],
    ['90', 'seconds'],
    ['30', 'days'],
    ['500', 'bytes'],
    ['soon', 'seconds'],
    ['15 parsecs', 'seconds'],
    ['-1', 'seconds'],
    ['1 h 30', 'seconds'],
    ['0.5 s', 'seconds'],
    ['1e2', 'count'],
    ['10 k', 'count'],
    ['20 MB 5 kB', 'bytes'],
    ['99999999 TB', 'bytes'],
  ] as const)('refuses %j as %s', (text, kind) => {
    expect(parseAmount(text, kind)).toBeNaN();
  });

  it.each([
    ['90', 'seconds', { first: '90 s', second: '90 min' }],
    [' 30 ', 'days', { first: '30 d', second: '30 w' }],
    ['500', 'bytes', { first: '500 MB', second: '500 GB' }],
    ['0', 'seconds', undefined],
    ['90', 'count', undefined],
    ['soon', 'seconds', undefined],
  ] as const)('suggests units for a bare number: %j as %s', (text, kind, examples) => {
    expect(withUnits(text, kind)).toEqual(examples);
  });
});
