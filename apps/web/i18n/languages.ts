import { en } from './en.ts';
import { es } from './es.ts';
import { type Phrase, phraseText } from './phrases.ts';
import { complaintText, type RefusalText, refusalText } from './refusals.ts';

export type TextKey = keyof typeof en;
export type Catalogue = Readonly<Record<TextKey, string>>;

export const CATALOGUES = { en, es } as const satisfies Record<string, Catalogue>;
export type Language = keyof typeof CATALOGUES;
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

export function fill(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
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

/** Texts in the current language; reactive if `language` is. */
export function createTranslate(language: () => Language): Translate {
  const translate = (key: TextKey, values?: Values) => fill(CATALOGUES[language()][key], values);
  const optional = (key: string) => (isTextKey(key) ? translate(key) : undefined);
  const refusal = (code: string, detail: string) => refusalText(language(), code, detail);
  const phrase = (said: Phrase, detail: string) => phraseText(language(), said) ?? detail;
  const complaint = (message: string) => complaintText(language(), message);
  return Object.assign(translate, { optional, refusal, phrase, complaint });
}

function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
