import * as AlertDialog from '@kobalte/core/alert-dialog';
import { type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { FormActions } from '../fields/form-actions.tsx';
import { createFocusHold, createFocusReturn } from '../focus.ts';
import { Said } from '../name.tsx';
import { Trouble } from '../trouble.tsx';
import './dialog.css';

interface Props {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly danger?: boolean;
  /** Disables the action until the dialog's own condition is met. */
  readonly blocked?: boolean;
  /** Title of the error if `onConfirm` rejects. */
  readonly failure?: string;
  readonly onConfirm: () => unknown;
  readonly onClose: () => void;
}

/** Asks before an action that cannot be undone; stays open if the action fails. */
export function Confirm(props: ParentProps<Props>) {
  const { place } = useApp();
  createFocusReturn();
  const hold = createFocusHold();
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <AlertDialog.Portal {...place.portal}>
        <AlertDialog.Overlay class="overlay" />
        <div class="dialog-place">
          <AlertDialog.Content class="dialog dialog-small" aria-modal="true" ref={hold}>
            <AlertDialog.Title class="dialog-title">
              <Said text={props.title} />
            </AlertDialog.Title>
            <AlertDialog.Description class="dialog-lead">
              <Said text={props.text} />
            </AlertDialog.Description>
            <ConfirmForm {...props} />
          </AlertDialog.Content>
        </div>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** A form, so that Enter in a field confirms. */
function ConfirmForm(props: ParentProps<Props>) {
  const attempt = createAttempt();

  async function confirm(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (props.blocked) return;
    if (await attempt.run(async () => props.onConfirm())) props.onClose();
  }

  return (
    <form class="dialog-form" onSubmit={(event) => void confirm(event)}>
      {props.children}
      <Show when={attempt.error()}>
        <Trouble title={props.failure ?? props.title} error={attempt.error()} compact />
      </Show>
      <FormActions
        action={props.action}
        danger={props.danger ?? false}
        blocked={props.blocked ?? false}
        busy={attempt.busy()}
        onCancel={() => props.onClose()}
      />
    </form>
  );
}
