import { en } from '../../apps/web/i18n/en.ts';
import { es } from '../../apps/web/i18n/es.ts';
import { createTranslate, type Language, type Texts, type Translate } from '../../apps/web/i18n/languages.ts';
import { phraseText } from '../../apps/web/i18n/phrases.ts';
import * as refusals from '../../apps/web/i18n/refusals.ts';

export const CATALOGUES = { en, es } as const satisfies Record<Language, Texts['catalogue']>;

/** As in the page once the texts of the language have been fetched. */
export function translateTo(language: Language): Translate {
  const texts = {
    catalogue: CATALOGUES[language],
    ...(language === 'en' ? {} : { refusals: { ...refusals, phraseText } }),
  };
  return createTranslate(
    () => language,
    () => texts,
  );
}
