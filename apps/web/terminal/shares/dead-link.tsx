import { useApp } from '../../app/context.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';

/** Shown for an incomplete link to a shared terminal. */
export function DeadLink(props: { onClose: () => void }) {
  const { t } = useApp();
  return (
    <Dialog title={t('join_dead_title')} description={t('join_dead_text')} onClose={props.onClose}>
      <div class="actions">
        <button type="button" class="button button-primary" onClick={() => props.onClose()}>
          {t('close')}
        </button>
      </div>
    </Dialog>
  );
}
