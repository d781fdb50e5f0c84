import { useApp } from '../../app/context.ts';
import { ReasonButton } from '../reason-button.tsx';

interface Props {
  readonly dirty: boolean;
  /** Changes that cannot be sent yet. */
  readonly blocked: boolean;
  readonly busy: boolean;
  /** Why the gateway accepts no changes. */
  readonly why: string | undefined;
  readonly label: string;
  readonly onDiscard: () => void;
}

/** Discards or submits the changes of a form that stays open. */
export function SaveButtons(props: Props) {
  const { t } = useApp();
  return (
    <>
      <button type="button" class="button" disabled={!props.dirty} onClick={() => props.onDiscard()}>
        {t('settings_discard')}
      </button>
      <ReasonButton
        class="button button-primary"
        submits
        why={props.why}
        disabled={!props.dirty || props.blocked}
        busy={props.busy}
      >
        {props.label}
      </ReasonButton>
    </>
  );
}
