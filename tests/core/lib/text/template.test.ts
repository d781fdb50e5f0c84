import { describe, expect, it } from 'vitest';
import { filled, readTemplate } from '../../../../apps/core/lib/text/template.ts';

describe('a template', () => {
  it('gives back what it was filled with', () => {
    const values = { terminal: 'web (#1)', seconds: '12' };
    const template = '{terminal} after {seconds} s';
    expect(readTemplate(template, filled(template, values))).toEqual(values);
  });

  it.each([
    ['all: {count}', 'none: 3'],
    ['{name}: expired', 'web: ended'],
    ['{from} to {to} now', 'a to b'],
    ['{a}-{a}', ''],
  ])('%j does not fit %j', (template, text) => {
    expect(readTemplate(template, text)).toBeUndefined();
  });

  it('ends a value at the first text that can follow it', () => {
    expect(readTemplate('{from} to {to}', '/a to /b to /c')).toEqual({ from: '/a', to: '/b to /c' });
  });
});
