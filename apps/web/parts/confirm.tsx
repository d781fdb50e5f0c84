import * as AlertDialog from '@kobalte/core/alert-dialog';
import { createSignal, type ParentProps, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import { createFocusReturn } from './focus-return.ts';
import { Trouble } from './trouble.tsx';
import './dialog.css';

interface Props {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly danger?: boolean;
  /** Until something in it has been done. */
  readonly blocked?: boolean;
  /** What failed, when `onConfirm` rejects. */
  readonly failure?: string;
  readonly onConfirm: () => unknown;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone; stays open while it fails. */
export function Confirm(props: ParentProps<Props>) {
  const { t } = useApp();
  createFocusReturn();
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>();

  async function confirm(): Promise<void> {
    if (busy() || props.blocked) return;
    setBusy(true);
    setError(undefined);
    try {
      await props.onConfirm();
      props.onClose();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay class="overlay" />
        <div class="dialog-place">
          <AlertDialog.Content class="dialog dialog-small">
            <AlertDialog.Title class="dialog-title">{props.title}</AlertDialog.Title>
            <AlertDialog.Description class="dialog-lead">{props.text}</AlertDialog.Description>
            {props.children}
            <Show when={error()}>
              <Trouble title={props.failure ?? props.title} error={error()} compact />
            </Show>
            <div class="actions">
              <button type="button" class="button" onClick={() => props.onClose()}>
                {t('cancel')}
              </button>
              <button
                type="button"
                class="button"
                classList={{ 'button-danger': props.danger ?? false, 'button-primary': !props.danger }}
                disabled={props.blocked ?? false}
                aria-disabled={busy()}
                onClick={() => void confirm()}
              >
                {props.action}
              </button>
            </div>
          </AlertDialog.Content>
        </div>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
