import { Select } from '@kobalte/core/select';
import Check from 'lucide-solid/icons/check';
import ChevronDown from 'lucide-solid/icons/chevron-down';
import { createSignal, Show } from 'solid-js';
import { Name } from '../name.tsx';
import './field.css';
import '../menu.css';

export interface SelectOption<T> {
  readonly value: T;
  readonly label: string;
}

interface Props<T> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly SelectOption<T>[];
  readonly onChange: (value: T) => void;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly class?: string;
  /** Within a line of text; only screen readers get the label, which is also the tooltip. */
  readonly is_inline?: boolean;
  readonly disabled?: boolean;
}

export function SelectField<T extends string | number>(props: Props<T>) {
  const [place, setPlace] = createSignal<HTMLElement>();
  let trigger: HTMLButtonElement | undefined;
  /** The chosen option disappears with the list, so the focus returns to the trigger. */
  const returnFocus = () => queueMicrotask(() => trigger?.focus());
  const chosen = () => props.options.find(({ value }) => value === props.value);
  return (
    <Select<SelectOption<T>>
      class={`${props.is_inline ? 'select-inline' : 'field'} ${props.class ?? ''}`}
      options={[...props.options]}
      optionValue="value"
      optionTextValue="label"
      value={chosen() ?? null}
      onChange={(option) => option && option.value !== props.value && props.onChange(option.value)}
      disallowEmptySelection
      disabled={props.disabled ?? false}
      validationState={props.error ? 'invalid' : 'valid'}
      itemComponent={(item) => (
        <Select.Item item={item.item} class="menu-item menu-item-check">
          <Select.ItemIndicator class="menu-check">
            <Check size={14} aria-hidden="true" />
          </Select.ItemIndicator>
          <Select.ItemLabel>
            <Name text={item.item.rawValue.label} />
          </Select.ItemLabel>
        </Select.Item>
      )}
    >
      <Select.Label class={props.is_inline ? 'visually-hidden' : 'field-label'}>{props.label}</Select.Label>
      <Select.Trigger
        class={props.is_inline ? 'select-trigger' : 'field-input select-trigger'}
        title={props.is_inline ? props.label : undefined}
        ref={(element: HTMLButtonElement) => {
          trigger = element;
        }}
      >
        <Select.Value<SelectOption<T>>>
          {(state) => <Name text={state.selectedOption().label} />}
        </Select.Value>
        <Select.Icon class="select-icon">
          <ChevronDown size={16} aria-hidden="true" />
        </Select.Icon>
      </Select.Trigger>
      <Show when={props.description}>
        <Select.Description class="field-hint">{props.description}</Select.Description>
      </Show>
      <Select.ErrorMessage class="field-error">{props.error}</Select.ErrorMessage>
      <Show when={place()}>
        {(mount) => (
          <Select.Portal mount={mount()}>
            <Select.Content class="menu select-menu">
              <Select.Listbox class="select-list" />
            </Select.Content>
          </Select.Portal>
        )}
      </Show>
      {/* Mounted here rather than in `body`: a dialog hides everything outside it from screen readers. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles no keys, only passes the focus on */}
      <div ref={setPlace} onFocus={returnFocus} />
    </Select>
  );
}
