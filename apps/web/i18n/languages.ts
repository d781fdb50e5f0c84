import { createEffect, createSignal } from 'solid-js';
import { formatNumber } from '../lib/format.ts';
import { shownText } from '../lib/hidden-characters.ts';
import type { en } from './en.ts';
import type { Phrase, phraseText } from './phrases.ts';
import type { complaintText, RefusalText, refusalText } from './refusals.ts';

export type TextKey = keyof typeof en;
export type Catalogue = Readonly<Record<TextKey, string>>;

/** What a language needs; fetched when it is first shown. */
export interface Texts {
  readonly catalogue: Catalogue;
  /** Missing in English, the gateway's own language. */
  readonly refusals?: {
    readonly complaintText: typeof complaintText;
    readonly refusalText: typeof refusalText;
    readonly phraseText: typeof phraseText;
  };
}

const LOADERS = {
  en: async (): Promise<Texts> => ({ catalogue: (await import('./en.ts')).en }),
  es: async (): Promise<Texts> => {
    const [{ es }, refusals, { phraseText }] = await Promise.all([
      import('./es.ts'),
      import('./refusals.ts'),
      import('./phrases.ts'),
    ]);
    return { catalogue: es, refusals: { ...refusals, phraseText } };
  },
};
export type Language = keyof typeof LOADERS;
export const LANGUAGES: readonly { readonly code: Language; readonly name: string }[] = [
  { code: 'en', name: 'English' },
  { code: 'es', name: 'Español' },
];

/** The first preferred language that has a catalogue, else English. */
export function languageOf(preferred: readonly unknown[]): Language {
  for (const tag of preferred) {
    const code = typeof tag === 'string' ? tag.slice(0, 2).toLowerCase() : '';
    const known = LANGUAGES.find((language) => language.code === code);
    if (known) return known.code;
  }
  return 'en';
}

export type Values = Readonly<Record<string, string | number>>;

const PLURAL = /\{(\w+), plural, ((?:\w+ \{(?:[^{}]|\{\w+\})*\} ?)+)\}/g;
const FORM = /(\w+) \{((?:[^{}]|\{\w+\})*)\}/g;

/** Fills in values. `{count, plural, one {# file} other {# files}}` is a subset of ICU's messages, with one form a category. */
export function fill(text: string, values: Values = {}, language = 'en'): string {
  return text
    .replace(PLURAL, (_whole, name: string, forms: string) => pluralOf(values[name], forms, language))
    .replace(/\{(\w+)\}/g, (whole, name: string) => shownText(String(values[name] ?? whole)));
}

/** A count that is text is formatted already. */
function pluralOf(value: string | number | undefined, forms: string, language: string): string {
  const by_category = new Map([...forms.matchAll(FORM)].map(([, category, form = '']) => [category, form]));
  const form = by_category.get(rulesOf(language).select(Number(value))) ?? by_category.get('other') ?? '';
  const count = typeof value === 'number' ? formatNumber(value, language) : (value ?? '');
  return form.replaceAll('#', count);
}

const rules = new Map<string, Intl.PluralRules>();

function rulesOf(language: string): Intl.PluralRules {
  const known = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, known);
  return known;
}

export interface Translate {
  (key: TextKey, values?: Values): string;
  /** A text that may not exist, such as the hint for an error code. */
  optional(key: string): string | undefined;
  /** The text of an error code, or the gateway's own text if there is no translation. */
  refusal(code: string, detail: string): RefusalText;
  /** A sentence of the gateway, or its own text if there is no translation. */
  phrase(phrase: Phrase, detail: string): string;
  /** What the gateway says is wrong with one field. */
  complaint(message: string): string;
}

export function loadTexts(language: Language): Promise<Texts> {
  return LOADERS[language]();
}

/** The texts of the language; while they are fetched, those of the language before, at first `first`. */
export function followTexts(language: () => Language, first?: Texts): () => Texts | undefined {
  const [texts, setTexts] = createSignal(first, {
    equals: (before, now) => before?.catalogue === now?.catalogue,
  });
  createEffect(() => {
    const wanted = language();
    void loadTexts(wanted).then((loaded) => wanted === language() && setTexts(loaded));
  });
  return texts;
}

/** Texts in the current language; reactive if `language` and `texts` are. */
export function createTranslate(language: () => Language, texts: () => Texts): Translate {
  const translate = (key: TextKey, values?: Values) => fill(texts().catalogue[key], values, language());
  const isTextKey = (key: string): key is TextKey => Object.hasOwn(texts().catalogue, key);
  const optional = (key: string) => (isTextKey(key) ? translate(key) : undefined);
  const refusal = (code: string, detail: string) =>
    texts().refusals?.refusalText(language(), code, detail) ?? { text: shownText(detail) };
  const phrase = (said: Phrase, detail: string) => texts().refusals?.phraseText(language(), said) ?? detail;
  const complaint = (message: string) => texts().refusals?.complaintText(language(), message) ?? message;
  return Object.assign(translate, { optional, refusal, phrase, complaint });
}
