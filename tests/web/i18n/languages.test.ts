import { describe, expect, it } from 'vitest';
import { fill, languageOf } from '../../../apps/web/i18n/languages.ts';
import { CATALOGUES, translateTo } from '../../support/texts.ts';

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe('the catalogues', () => {
  it.each(Object.entries(CATALOGUES))('%s has exactly the keys of English', (_language, catalogue) => {
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(CATALOGUES.en).sort());
  });

  it.each(Object.entries(CATALOGUES))('%s has the same placeholders in each text', (_language, catalogue) => {
    const names = (texts: object) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placeholders(text)]));
    expect(names(catalogue)).toEqual(names(CATALOGUES.en));
  });

  it('contain no empty text', () => {
    expect(Object.values(CATALOGUES).flatMap((texts) => Object.values(texts))).not.toContain('');
  });
});

describe('the language', () => {
  it.each([
    [['es-AR', 'en'], 'es'],
    [['fr', 'es'], 'es'],
    [['fr'], 'en'],
    [[undefined, 'ES'], 'es'],
  ])('for %j is %s', (wishes, language) => {
    expect(languageOf(wishes)).toBe(language);
  });

  it('fills in values and keeps unknown placeholders', () => {
    expect(fill('{a} of {b}', { a: 1 })).toBe('1 of {b}');
  });

  it('knows which texts exist', () => {
    const t = translateTo('en');
    expect([t.optional('save'), t.optional('hint_of_nothing'), t.optional('toString')]).toEqual([
      'Save',
      undefined,
      undefined,
    ]);
  });
});
