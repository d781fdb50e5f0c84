import { Combobox } from '@kobalte/core/combobox';
import Check from 'lucide-solid/icons/check';
import ChevronDown from 'lucide-solid/icons/chevron-down';
import { createMemo, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { Translate } from '../../i18n/languages.ts';
import type { Editing } from '../editing.ts';
import { LANGUAGE_NAMES, type Recognized } from './language.ts';
import '../../parts/menu.css';

interface Option {
  readonly label: string;
  /** Null is plain text; undefined detects the language. */
  readonly language: string | null | undefined;
}

/** Shows the detected language and why, and lets the user choose another. */
export function FileEditorLanguage(props: { editing: Editing }) {
  const { place, t } = useApp();
  const { language } = props.editing;
  const plain = () => ({ label: t('editor_plain'), language: null });
  const options = createMemo((): Option[] => [
    { label: t('editor_recognize'), language: undefined },
    plain(),
    ...LANGUAGE_NAMES.map((name) => ({ label: name, language: name })),
  ]);
  const shown = () => options().find((option) => option.language === (language.language() ?? null));
  return (
    <>
      <Combobox<Option>
        class="editor-language"
        options={options()}
        optionValue="label"
        optionTextValue="label"
        optionLabel="label"
        value={shown() ?? plain()}
        onChange={(option: Option | null) => {
          if (option && option.label !== shown()?.label) language.choose(option.language);
        }}
        placement="top-start"
        gutter={4}
        itemComponent={(item) => (
          <Combobox.Item item={item.item} class="menu-item menu-item-check">
            <Combobox.ItemIndicator class="menu-check">
              <Check size={14} aria-hidden="true" />
            </Combobox.ItemIndicator>
            <Combobox.ItemLabel>{item.item.rawValue.label}</Combobox.ItemLabel>
          </Combobox.Item>
        )}
      >
        <Combobox.Control class="editor-language" aria-label={t('editor_language')}>
          <Combobox.Input class="editor-choice" aria-label={t('editor_language')} />
          <Combobox.Trigger class="icon-button icon-button-small" aria-label={t('editor_language')}>
            <ChevronDown size={14} aria-hidden="true" />
          </Combobox.Trigger>
        </Combobox.Control>
        <Combobox.Portal {...place.portal}>
          <Combobox.Content class="menu">
            <Combobox.Listbox class="editor-languages" />
          </Combobox.Content>
        </Combobox.Portal>
      </Combobox>
      <span class="editor-why">
        <Show when={language.error() !== undefined} fallback={reasonFor(props.editing, t)}>
          {t('editor_grammar_failed', { name: language.language() ?? '' })}{' '}
          <button type="button" class="link-button" onClick={() => language.choose(language.language())}>
            {t('try_again')}
          </button>
        </Show>
      </span>
    </>
  );
}

function reasonFor({ language }: Editing, t: Translate): string {
  return language.is_chosen() ? t('editor_by_choice') : recognizedBy(language.recognized(), t);
}

function recognizedBy({ by, clue }: Recognized, t: Translate): string {
  return t(`editor_by_${by}`, { clue });
}
