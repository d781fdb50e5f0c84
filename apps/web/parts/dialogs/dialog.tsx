// Imported as a namespace: the compound exports of `dialog` and `alert-dialog` are the same function.
import * as Kobalte from '@kobalte/core/dialog';
import X from 'lucide-solid/icons/x';
import { type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { PagePlace } from '../../lib/root.ts';
import { createFocusHold, createFocusReturn } from '../focus.ts';
import { Said } from '../name.tsx';
import './dialog.css';

interface Props {
  readonly title: string;
  readonly description?: string | undefined;
  readonly wide?: boolean;
  /** A click outside does not close it. */
  readonly sticky?: boolean;
  readonly onClose: () => void;
}

/** Not in the page of another site around it, whose clicks say nothing about a dialog here. */
function isInside({ root }: PagePlace, target: EventTarget | null): boolean {
  return target instanceof Node && root.contains(target);
}

/** A modal dialog that is open while mounted. */
export function Dialog(props: ParentProps<Props>) {
  const { place, t } = useApp();
  createFocusReturn();
  const hold = createFocusHold();
  let content: HTMLElement | undefined;
  /** Focuses the first text field rather than the close button. */
  function focusFirstField(event: Event): void {
    const field = content?.querySelector<HTMLElement>('input:not([tabindex="-1"]), textarea');
    if (!field) return;
    event.preventDefault();
    queueMicrotask(() => field.focus()); // until then a dialog underneath takes the focus back
  }
  return (
    <Kobalte.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Kobalte.Portal {...place.portal}>
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
            onInteractOutside={(event) => {
              if (props.sticky || !isInside(place, event.detail.originalEvent.target)) event.preventDefault();
            }}
          >
            <header class="dialog-head">
              <Kobalte.Title class="dialog-title">
                <Said text={props.title} />
              </Kobalte.Title>
              <Kobalte.CloseButton class="icon-button" aria-label={t('close')}>
                <X size={18} aria-hidden="true" />
              </Kobalte.CloseButton>
            </header>
            <Show when={props.description}>
              {(text) => (
                <Kobalte.Description class="dialog-lead">
                  <Said text={text()} />
                </Kobalte.Description>
              )}
            </Show>
            {props.children}
          </Kobalte.Content>
        </div>
      </Kobalte.Portal>
    </Kobalte.Root>
  );
}
