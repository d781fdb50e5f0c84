import { createUniqueId, type JSX, Show } from 'solid-js';

interface Props {
  readonly label: string;
  readonly icon: JSX.Element;
  /** Shown beside the icon. */
  readonly text?: string;
  /** The key that does the same. */
  readonly hint?: string;
  /** Why it is switched off, when it is; a press then says so too. */
  readonly why?: string | undefined;
  readonly onPress: () => void;
}

/** Stays reachable while it is switched off, so that its reason can be read. */
export function ReasonButton(props: Props) {
  const reason_id = createUniqueId();
  const title = () => (props.hint ? `${props.label} (${props.hint})` : props.label);
  return (
    <button
      type="button"
      class={props.text ? 'button button-quiet' : 'icon-button'}
      aria-label={props.label}
      title={props.why ?? title()}
      aria-disabled={props.why !== undefined}
      aria-describedby={props.why === undefined ? undefined : reason_id}
      onClick={() => props.onPress()}
    >
      {props.icon}
      {props.text}
      <Show when={props.why}>
        <span id={reason_id} hidden>
          {props.why}
        </span>
      </Show>
    </button>
  );
}
