import { onCleanup } from 'solid-js';

/** Gives the focus back to where it was before a dialog, unless it has found a place meanwhile. */
export function createFocusReturn(): void {
  const before = focusOwner();
  onCleanup(() =>
    setTimeout(() => {
      const is_lost = document.activeElement === null || document.activeElement === document.body;
      if (is_lost && before?.isConnected) before.focus();
    }),
  );
}

/** A menu is gone by then; the button that opened it is not. */
function focusOwner(): HTMLElement | undefined {
  const active = document.activeElement;
  const menu = active?.closest('[role="menu"]');
  const owner = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
  return owner instanceof HTMLElement ? owner : undefined;
}
