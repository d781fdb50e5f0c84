import { Combobox } from '@kobalte/core/combobox';
import Check from 'lucide-solid/icons/check';
import ChevronDown from 'lucide-solid/icons/chevron-down';
import { createMemo, createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { Name } from '../name.tsx';
import type { SelectOption } from './select.tsx';
import { keepDialogOpen, Suggestions, useOpenOnClick } from './suggestions.tsx';
import './field.css';
import './combo.css';
import '../menu.css';

const MOST_SHOWN = 50; // a person types on rather than scroll further

interface Shared {
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly class?: string;
}

interface ChoiceProps<T> extends Shared {
  readonly value: T;
  readonly options: readonly SelectOption<T>[];
  /** The options that match a text, best first; by default those whose name contains it. */
  readonly find?: (text: string) => readonly SelectOption<T>[];
  readonly onChange: (value: T) => void;
}

/** A choice among many options, found by typing a part of the name. */
export function ChoiceField<T extends string | number>(props: ChoiceProps<T>) {
  const [typed, setTyped] = createSignal('');
  const [open, setOpen] = createSignal(false);
  const chosen = () => props.options.find(({ value }) => value === props.value);
  const chosenText = () => {
    const option = chosen();
    return option && shownLabel(option);
  };
  const matching = (text: string) =>
    props.find && text.trim() !== ''
      ? props.find(text)
      : props.options.filter((option) => contains(shownLabel(option), text));
  const found = createMemo(() => {
    const text = typed() === chosenText() ? '' : typed();
    return matching(text).slice(0, MOST_SHOWN);
  });
  const found_values = createMemo(() => new Set(found().map(({ value }) => value)));
  /** The chosen option stays among the options, or the field would forget it. */
  const options = () => {
    const kept = chosen();
    return kept && !found_values().has(kept.value) ? [...found(), kept] : [...found()];
  };
  /** Enter takes the best match, as in the rail; leaving the field takes the only one. */
  function take(event: KeyPress): void {
    const { key, currentTarget } = event;
    const text = typed().trim();
    if (text === '' || text === chosenText() || currentTarget.hasAttribute('aria-activedescendant')) return;
    const [best, ...others] = matching(text);
    const is_meant = key === 'Enter' || others.length === 0 || (best && shownLabel(best) === text);
    if (!best || !is_meant) return;
    if (best.value !== props.value) props.onChange(best.value);
    if (key === 'Enter') event.preventDefault(); // which would submit the form once the list is closed
    setOpen(false); // it covers what comes next
  }
  return (
    <Combobox<SelectOption<T>>
      class={`field ${props.class ?? ''}`}
      options={options()}
      optionValue="value"
      optionTextValue={shownLabel}
      optionLabel={shownLabel}
      value={chosen() ?? null}
      onChange={(option) => option && option.value !== props.value && props.onChange(option.value)}
      onInputChange={setTyped}
      defaultFilter={({ value }) => found_values().has(value)}
      disallowEmptySelection
      open={open()}
      onOpenChange={setOpen}
      closeOnSelection
      validationState={props.error ? 'invalid' : 'valid'}
      itemComponent={(item) => (
        <Combobox.Item item={item.item} class="menu-item menu-item-check">
          <Combobox.ItemIndicator class="menu-check">
            <Check size={14} aria-hidden="true" />
          </Combobox.ItemIndicator>
          <Combobox.ItemLabel>
            <Name text={item.item.rawValue.label} />
          </Combobox.ItemLabel>
        </Combobox.Item>
      )}
    >
      <ComboParts {...props} onTake={take} />
    </Combobox>
  );
}

interface SuggestProps extends Shared {
  readonly value: string;
  /** Values in use elsewhere; others may be typed. */
  readonly known: readonly string[];
  readonly onChange: (value: string) => void;
}

/** A text with suggestions. */
export function SuggestField(props: SuggestProps) {
  const [typed, setTyped] = createSignal('');
  const options = () => {
    const known = props.known.filter((name) => name !== '' && name !== props.value).slice(0, MOST_SHOWN);
    return props.value === '' ? known : [props.value, ...known];
  };
  return (
    <Combobox<string>
      class={`field ${props.class ?? ''}`}
      options={options()}
      value={props.value === '' ? null : props.value}
      onChange={(value) => {
        setTyped('');
        props.onChange(value ?? '');
      }}
      onInputChange={(text) => {
        if (text === props.value) return;
        setTyped(text);
        props.onChange(text);
      }}
      defaultFilter={(option, text) => text !== typed() || (option !== text && contains(option, text))}
      triggerMode="input"
      noResetInputOnBlur
      validationState={props.error ? 'invalid' : 'valid'}
      itemComponent={(item) => (
        <Combobox.Item item={item.item} class="menu-item">
          <Combobox.ItemLabel>
            <Name text={item.item.rawValue} />
          </Combobox.ItemLabel>
        </Combobox.Item>
      )}
    >
      <ComboParts {...props} />
    </Combobox>
  );
}

type KeyPress = KeyboardEvent & { readonly currentTarget: HTMLInputElement };

function ComboParts(props: Shared & { readonly onTake?: (event: KeyPress) => void }) {
  const { t } = useApp();
  const openList = useOpenOnClick();
  const onKeyDown = (event: KeyPress) => {
    keepDialogOpen(event);
    if (event.key === 'Enter' || event.key === 'Tab') props.onTake?.(event);
  };
  return (
    <>
      <Combobox.Label class="field-label">{props.label}</Combobox.Label>
      <Combobox.Control class="field-input combo-control">
        <Combobox.Input
          class="combo-input"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onKeyDown={onKeyDown}
          onClick={openList}
        />
        <Combobox.Trigger class="combo-trigger" aria-label={t('show_suggestions')}>
          <ChevronDown size={16} aria-hidden="true" />
        </Combobox.Trigger>
      </Combobox.Control>
      <Show when={props.description}>
        <Combobox.Description class="field-hint">{props.description}</Combobox.Description>
      </Show>
      <Combobox.ErrorMessage class="field-error">{props.error}</Combobox.ErrorMessage>
      <Suggestions />
    </>
  );
}

/** In the field itself, which is plain text, too. */
function shownLabel({ label }: SelectOption<unknown>): string {
  return shownName(label);
}

function contains(label: string, text: string): boolean {
  return label.toLowerCase().includes(text.trim().toLowerCase());
}
