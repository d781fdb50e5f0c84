// Imported part by part: the compound objects of `dialog` and `alert-dialog` are the same function.
import * as Kobalte from '@kobalte/core/dialog';
import X from 'lucide-solid/icons/x';
import { type ParentProps, Show, untrack } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { createFocusHold } from '../focus/hold.ts';
import { createFocusReturn } from '../focus/return.ts';
import './dialog.css';

interface Props {
  readonly title: string;
  readonly description?: string | undefined;
  readonly wide?: boolean;
  /** A form that a slip of the mouse must not close. */
  readonly sticky?: boolean;
  readonly onClose: () => void;
}

/** Open for as long as it is mounted. */
export function Dialog(props: ParentProps<Props>) {
  const { t } = useApp();
  createFocusReturn();
  const hold = createFocusHold();
  let content: HTMLElement | undefined;
  /** Where something is to be typed, that comes before the cross that closes. */
  function focusFirstField(event: Event): void {
    const field = content?.querySelector<HTMLElement>('input:not([tabindex="-1"]), textarea');
    if (!field) return;
    event.preventDefault();
    untrack(() => field.focus()); // in an effect of the dialog: what the field reads there must not run it again
  }
  return (
    <Kobalte.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Kobalte.Portal>
        <Kobalte.Overlay class="overlay" />
        <div class="dialog-place">
          <Kobalte.Content
            class="dialog"
            classList={{ 'dialog-wide': props.wide ?? false }}
            ref={(element: HTMLElement) => {
              content = element;
              hold(element);
            }}
            onOpenAutoFocus={focusFirstField}
            onInteractOutside={(event) => props.sticky && event.preventDefault()}
          >
            <header class="dialog-head">
              <Kobalte.Title class="dialog-title">{props.title}</Kobalte.Title>
              <Kobalte.CloseButton class="icon-button" aria-label={t('close')}>
                <X size={18} aria-hidden="true" />
              </Kobalte.CloseButton>
            </header>
            <Show when={props.description}>
              <Kobalte.Description class="dialog-lead">{props.description}</Kobalte.Description>
            </Show>
            {props.children}
          </Kobalte.Content>
        </div>
      </Kobalte.Portal>
    </Kobalte.Root>
  );
}
