import { Switch } from '@kobalte/core/switch';
import { Show } from 'solid-js';
import './field.css';

interface Props {
  readonly label: string;
  /** Read out after the label but not shown; tells apart several switches with one label. */
  readonly about?: string;
  readonly description?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function SwitchField(props: Props) {
  return (
    <Switch
      class="switch"
      checked={props.checked}
      disabled={props.disabled ?? false}
      onChange={(checked) => props.onChange(checked)}
    >
      <Switch.Input class="switch-input" />
      <Switch.Control class="switch-control">
        <Switch.Thumb class="switch-thumb" />
      </Switch.Control>
      <div class="switch-text">
        <Switch.Label class="switch-label">
          {props.label}
          <Show when={props.about}>
            <span class="visually-hidden"> {props.about}</span>
          </Show>
        </Switch.Label>
        <Show when={props.description}>
          <Switch.Description class="field-hint">{props.description}</Switch.Description>
        </Show>
      </div>
    </Switch>
  );
}
