import { describe, expect, it } from 'vitest';
import { fill, languageOf } from '../../../apps/web/i18n/languages.ts';
import { CATALOGUES, translateTo } from '../../support/texts.ts';

const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name))].sort();

/** The categories of each plural in a text. */
const pluralsIn = (text: string) =>
  [...text.matchAll(/, plural, ((?:\w+ \{(?:[^{}]|\{\w+\})*\} ?)+)\}/g)].map(([, forms = '']) =>
    [...forms.matchAll(/(\w+) \{(?:[^{}]|\{\w+\})*\}/g)].map(([, category]) => category).sort(),
  );

describe('the catalogues', () => {
  it.each(Object.entries(CATALOGUES))('%s has exactly the keys of English', (_language, catalogue) => {
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(CATALOGUES.en).sort());
  });

  it.each(Object.entries(CATALOGUES))('%s has the same placeholders in each text', (_language, catalogue) => {
    const names = (texts: object) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placeholders(text)]));
    expect(names(catalogue)).toEqual(names(CATALOGUES.en));
  });

  it.each(Object.entries(CATALOGUES))(
    '%s has a form for each category of a plural',
    (language, catalogue) => {
      const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
      const texts: readonly string[] = Object.values(catalogue);
      expect(
        texts.filter((text) => (text.match(/, plural,/g) ?? []).length !== pluralsIn(text).length),
      ).toEqual([]);
      expect(texts.flatMap(pluralsIn).filter((forms) => String(forms) !== String(wanted))).toEqual([]);
    },
  );

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

  it.each([
    ['en', 1, '1 file'],
    ['en', 1200, '1,200 files'],
    ['es', 1, '1 archivo'],
    ['es', 0, '0 archivos'],
    ['es', 2_000_000, '2.000.000 de archivos'],
  ])('in %s counts %i as “%s”', (language, count, said) => {
    const text: Readonly<Record<string, string>> = {
      en: '{count, plural, one {# file} other {# files}}',
      es: '{count, plural, one {# archivo} many {# de archivos} other {# archivos}}',
    };
    expect(fill(text[language] ?? '', { count }, language)).toBe(said);
  });

  it('fills in values within the form of a count', () => {
    const text = '{count, plural, one {# tab, {name}} other {# tabs, {name}}}. {name}';
    expect(fill(text, { count: 2, name: 'a' })).toBe('2 tabs, a. a');
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
