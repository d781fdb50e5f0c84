import { Checkbox } from '@kobalte/core/checkbox';
import Check from 'lucide-solid/icons/check';
import { Show } from 'solid-js';
import './check.css';

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function CheckField(props: Props) {
  return (
    <Checkbox class="check" checked={props.checked} onChange={(checked) => props.onChange(checked)}>
      <Checkbox.Input class="check-input" />
      <Checkbox.Control class="check-control">
        <Checkbox.Indicator class="check-indicator">
          <Check size={13} aria-hidden="true" />
        </Checkbox.Indicator>
      </Checkbox.Control>
      <div class="check-text">
        <Checkbox.Label>{props.label}</Checkbox.Label>
        <Show when={props.description}>
          <Checkbox.Description class="field-hint">{props.description}</Checkbox.Description>
        </Show>
      </div>
    </Checkbox>
  );
}
