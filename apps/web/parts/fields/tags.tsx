import { Combobox } from '@kobalte/core/combobox';
import Check from 'lucide-solid/icons/check';
import ChevronDown from 'lucide-solid/icons/chevron-down';
import X from 'lucide-solid/icons/x';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Name } from '../name.tsx';
import { keepDialogOpen, Suggestions, useOpenOnClick } from './suggestions.tsx';
import './field.css';
import '../menu.css';
import './tags.css';

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly values: readonly string[];
  /** Suggested values; others may be typed. */
  readonly known: readonly string[];
  readonly onChange: (values: string[]) => void;
  /** Shown while there are none. */
  readonly placeholder?: string;
  readonly error?: string | undefined;
  readonly class?: string;
}

/** Several tags, chosen from suggestions or typed. */
export function TagField(props: Props) {
  const { t } = useApp();
  const [typed, setTyped] = createSignal('');
  const [open, setOpen] = createSignal(false);
  const options = () =>
    [...new Set([...props.known, ...props.values, typed().trim()])].filter((option) => option !== '');
  const is_new = (option: string) => !props.known.includes(option) && !props.values.includes(option);

  function add(): void {
    const typed_tags = typed()
      .split(',')
      .map((tag) => tag.trim());
    const tags = new Set([...props.values, ...typed_tags.filter((tag) => tag !== '')]);
    if (tags.size > props.values.length) props.onChange([...tags]);
    setOpen(false);
  }

  return (
    <Combobox<string>
      multiple
      class={`field ${props.class ?? ''}`}
      options={options()}
      value={[...props.values]}
      onChange={props.onChange}
      onInputChange={setTyped}
      defaultFilter="contains"
      triggerMode="input"
      open={open()}
      onOpenChange={setOpen}
      closeOnSelection
      placeholder={props.values.length === 0 ? (props.placeholder ?? '') : ''}
      validationState={props.error ? 'invalid' : 'valid'}
      itemComponent={(item) => (
        <Combobox.Item item={item.item} class="menu-item menu-item-check">
          <Combobox.ItemIndicator class="menu-check">
            <Check size={14} aria-hidden="true" />
          </Combobox.ItemIndicator>
          <Combobox.ItemLabel>
            <Name
              text={
                is_new(item.item.rawValue) ? t('add_tag', { name: item.item.rawValue }) : item.item.rawValue
              }
            />
          </Combobox.ItemLabel>
        </Combobox.Item>
      )}
    >
      <Combobox.Label class="field-label">{props.label}</Combobox.Label>
      <Combobox.Control<string> class="field-input tag-control">
        {(state) => (
          <>
            <Chosen tags={state.selectedOptions()} onRemove={state.remove} />
            <TagInput is_typed={typed().trim() !== ''} onAdd={add} />
          </>
        )}
      </Combobox.Control>
      <Show when={props.description}>
        <Combobox.Description class="field-hint">{props.description}</Combobox.Description>
      </Show>
      <Combobox.ErrorMessage class="field-error">{props.error}</Combobox.ErrorMessage>
      <Suggestions />
    </Combobox>
  );
}

function Chosen(props: { tags: readonly string[]; onRemove: (tag: string) => void }) {
  const { t } = useApp();
  return (
    <For each={props.tags}>
      {(tag) => (
        <span class="tag tag-chosen">
          <Name text={tag} />
          <button
            type="button"
            class="tag-remove"
            aria-label={t('remove_of', { name: tag })}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => props.onRemove(tag)}
          >
            <X size={12} aria-hidden="true" />
          </button>
        </span>
      )}
    </For>
  );
}

function TagInput(props: { is_typed: boolean; onAdd: () => void }) {
  const { t } = useApp();
  const openList = useOpenOnClick();
  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLInputElement }): void {
    const { key, currentTarget: input } = event;
    const is_free = props.is_typed && !input.hasAttribute('aria-activedescendant');
    keepDialogOpen(event);
    if (is_free && key === 'Tab') props.onAdd();
    else if (is_free && (key === 'Enter' || key === ',')) {
      event.preventDefault();
      props.onAdd();
    }
  }
  return (
    <>
      <Combobox.Input
        class="tag-input"
        onKeyDown={onKeyDown}
        onBlur={() => props.onAdd()}
        onClick={openList}
      />
      <Combobox.Trigger class="tag-trigger" aria-label={t('show_suggestions')}>
        <ChevronDown size={16} aria-hidden="true" />
      </Combobox.Trigger>
    </>
  );
}
