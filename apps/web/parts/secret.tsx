import { createUniqueId } from 'solid-js';
import { CopyButton } from './copy-button.tsx';
import './fields/field.css';
import './secret.css';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly copy_label: string;
}

/** A read-only secret with a copy button, shown once after creation. */
export function Secret(props: Props) {
  const id = createUniqueId();
  return (
    <div class="field field-mono">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <div class="secret">
        <input
          id={id}
          class="field-input"
          readonly
          tabIndex={0}
          value={props.value}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={props.value} label={props.copy_label} />
      </div>
    </div>
  );
}
