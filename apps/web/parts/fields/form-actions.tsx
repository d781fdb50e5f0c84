import { useApp } from '../../app/context.ts';

interface Props {
  readonly action: string;
  readonly danger?: boolean;
  readonly busy: boolean;
  readonly blocked?: boolean;
  readonly onCancel: () => void;
}

/** The Cancel and submit buttons of a small form. */
export function FormActions(props: Props) {
  const { t } = useApp();
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => props.onCancel()}>
        {t('cancel')}
      </button>
      <button
        type="submit"
        class="button"
        classList={{ 'button-danger': props.danger ?? false, 'button-primary': !props.danger }}
        disabled={props.blocked ?? false}
        aria-disabled={props.busy}
      >
        {props.action}
      </button>
    </div>
  );
}
