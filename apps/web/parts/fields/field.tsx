import { TextField } from '@kobalte/core/text-field';
import { type JSX, Show } from 'solid-js';
import './field.css';

type InputAttributes = Pick<
  JSX.InputHTMLAttributes<HTMLInputElement>,
  | 'type'
  | 'name'
  | 'list'
  | 'placeholder'
  | 'inputmode'
  | 'min'
  | 'max'
  | 'minlength'
  | 'maxlength'
  | 'autocomplete'
  | 'autocapitalize'
>;
type AreaAttributes = Pick<
  JSX.TextareaHTMLAttributes<HTMLTextAreaElement>,
  'rows' | 'maxlength' | 'autocomplete' | 'autocapitalize'
>;

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly class?: string;
  readonly multiline?: boolean;
  readonly input?: InputAttributes;
  readonly area?: AreaAttributes;
}

/** A labelled text field with its hint and error. */
export function Field(props: Props) {
  return (
    <TextField
      value={props.value}
      onChange={props.onChange}
      required={props.required ?? false}
      disabled={props.disabled ?? false}
      class={`field ${props.class ?? ''}`}
      validationState={props.error ? 'invalid' : 'valid'}
    >
      <TextField.Label class="field-label">{props.label}</TextField.Label>
      <Show
        when={props.multiline}
        fallback={<TextField.Input class="field-input" spellcheck={false} {...props.input} />}
      >
        <TextField.TextArea class="field-input field-area" spellcheck={false} {...props.area} />
      </Show>
      <Show when={props.description}>
        <TextField.Description class="field-hint">{props.description}</TextField.Description>
      </Show>
      <TextField.ErrorMessage class="field-error">{props.error}</TextField.ErrorMessage>
    </TextField>
  );
}
