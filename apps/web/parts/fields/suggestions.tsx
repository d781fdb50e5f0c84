import { Combobox, useComboboxContext } from '@kobalte/core/combobox';
import { createSignal, Show } from 'solid-js';

/** The list below a combo box. Mounted here rather than in `body`: a dialog hides everything outside it from screen readers. */
export function Suggestions() {
  const [place, setPlace] = createSignal<HTMLElement>();
  // Keep the focus in the field: if it moved to the dialog, the list would close.
  const keepFocus = (event: MouseEvent) => event.preventDefault();
  return (
    <>
      <Show when={place()}>
        {(mount) => (
          <Combobox.Portal mount={mount()}>
            <Combobox.Content class="menu select-menu" onMouseDown={keepFocus}>
              <Combobox.Listbox class="select-list" />
            </Combobox.Content>
          </Combobox.Portal>
        )}
      </Show>
      <div ref={setPlace} />
    </>
  );
}

/** A click into the field opens the list. */
export function useOpenOnClick(): () => void {
  const combo = useComboboxContext();
  return () => {
    if (!combo.isOpen()) combo.open(false, 'manual'); // `manual`: all options, as from the button
  };
}

/** Escape closes the list only, not the dialog around it. */
export function keepDialogOpen(event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void {
  if (event.key === 'Escape' && event.currentTarget.getAttribute('aria-expanded') === 'true')
    event.stopImmediatePropagation();
}
