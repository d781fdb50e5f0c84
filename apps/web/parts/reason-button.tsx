import { createUniqueId, type ParentProps, Show } from 'solid-js';

interface Props {
  /** `button` by default. */
  readonly class?: string;
  /** The accessible name, where the content alone is not one. */
  readonly label?: string;
  /** Tooltip while the action is available. */
  readonly title?: string | undefined;
  readonly described_by?: string;
  readonly submits?: boolean;
  /** Why the action is unavailable; undefined while it is available. */
  readonly why: string | undefined;
  /** Unavailable for a reason that needs no words, such as a form without changes. */
  readonly disabled?: boolean;
  readonly busy?: boolean;
  /** Hidden where its row has no room for it. */
  readonly folds?: boolean;
  readonly onPress?: () => void;
  /** A press while the action is unavailable. */
  readonly onRefused?: () => void;
}

/** A button that stays focusable while its action is unavailable, so that keyboard users can reach the reason. */
export function ReasonButton(props: ParentProps<Props>) {
  const reason_id = createUniqueId();
  const descriptions = () => [props.described_by, props.why && reason_id].filter((id) => id).join(' ');

  function press(event: MouseEvent): void {
    if (props.why === undefined) {
      props.onPress?.();
      return;
    }
    event.preventDefault(); // or a submit button would still submit
    props.onRefused?.();
  }

  return (
    <button
      type={props.submits ? 'submit' : 'button'}
      class={props.class ?? 'button'}
      data-folds={props.folds}
      aria-label={props.label}
      title={props.why ?? props.title}
      disabled={props.why === undefined && props.disabled}
      aria-disabled={props.why !== undefined || (props.busy ?? false)}
      aria-describedby={descriptions() || undefined}
      onClick={press}
    >
      {props.children}
      <Show when={props.why}>
        <span id={reason_id} hidden>
          {props.why}
        </span>
      </Show>
    </button>
  );
}
