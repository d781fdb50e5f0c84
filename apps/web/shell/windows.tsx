import { createComponent, createEffect, type JSX, on, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { focusPlace, isFocusLost } from '../parts/focus.ts';
import { useFeatures, windowOf } from '../workspace/features.ts';
import type { WindowKind, Windows as WindowTypes } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';

/** Renders the open dialog, if any. */
export function Windows() {
  const { place } = useApp();
  const features = useFeatures();
  const { window, show, wishFocus } = useWorkspace();
  const onClose = () => show(undefined);
  /** If the element that opened a dialog is gone, focuses the main area or the active pane. */
  const catchFocus = () => {
    if (!isFocusLost()) return;
    const middle = place.root.querySelector('main');
    if (middle) focusPlace(middle);
    wishFocus();
  };
  createEffect(on(window, (open, before) => before && !open && setTimeout(catchFocus)));
  function render<K extends WindowKind>(open: { readonly kind: K } & WindowTypes[K]): JSX.Element {
    const registered = windowOf(features, open.kind);
    return registered && createComponent(registered.View, { ...open, onClose });
  }
  return (
    <Show when={window()} keyed>
      {(open) => render(open)}
    </Show>
  );
}
