import * as AlertDialog from '@kobalte/core/alert-dialog';
import { onMount } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { nameOf } from '../../lib/paths.ts';
import { createFocusReturn } from '../../parts/focus.ts';
import { usePaneHost } from '../../workspace/panes/host.ts';
import type { Editing } from '../editing.ts';
import '../../parts/dialogs/dialog.css';

interface Props {
  readonly editing: Editing;
  readonly path: string;
  readonly tab_id: string;
}

/** Asks before unsaved text is lost. */
export function FileEditorLeave(props: Props) {
  const { place, t } = useApp();
  createFocusReturn();
  const { activate } = usePaneHost();
  onMount(() => activate(props.tab_id)); // bring the text in question to the front
  const is_busy = () => props.editing.document.is_saving();
  const decide = (decision: 'save' | 'discard' | 'stay') => () => {
    if (!is_busy()) void props.editing.decide(decision);
  };
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && decide('stay')()}>
      <AlertDialog.Portal {...place.portal}>
        <AlertDialog.Overlay class="overlay" />
        <div class="dialog-place">
          <AlertDialog.Content class="dialog dialog-small" aria-modal="true">
            <AlertDialog.Title class="dialog-title">
              {t('editor_leave', { name: nameOf(props.path) })}
            </AlertDialog.Title>
            <AlertDialog.Description class="dialog-lead">{t('editor_leave_text')}</AlertDialog.Description>
            <div class="actions">
              <button type="button" class="button" onClick={decide('stay')}>
                {t('cancel')}
              </button>
              <button type="button" class="button button-danger" onClick={decide('discard')}>
                {t('discard')}
              </button>
              <button
                type="button"
                class="button button-primary"
                aria-disabled={is_busy()}
                onClick={decide('save')}
              >
                {t('save')}
              </button>
            </div>
          </AlertDialog.Content>
        </div>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
