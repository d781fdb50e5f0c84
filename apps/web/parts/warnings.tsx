import { useApp } from '../app/context.ts';
import type { Phrase } from '../i18n/phrases.ts';
import { TextList } from './text-list.tsx';

interface Told {
  readonly warnings: readonly string[];
  readonly warning_phrases: readonly (Phrase | null)[];
}

/** The warnings of an import or a restore, in the user's language. */
export function Warnings(props: { told: Told }) {
  const { t } = useApp();
  const textOf = (warning: string, index: number) => {
    const phrase = props.told.warning_phrases[index];
    return phrase ? t.phrase(phrase, warning) : warning;
  };
  return (
    <TextList title={t('warnings')} items={props.told.warnings} class="text-list-warnings">
      {(warning, index) => textOf(warning, index())}
    </TextList>
  );
}
