import { onCleanup } from 'solid-js';
import { chainOf, focusNearest, isFocusLost } from './chain.ts';

/** Restores the focus after a dialog, unless something else has taken it. */
export function createFocusReturn(): void {
  const before = chainOf(focusOwner());
  onCleanup(() => setTimeout(() => isFocusLost() && focusNearest(before)));
}

/** Menus close with the dialog's opening, so the button that opened the menu stands in for its item. */
function focusOwner(): Element | null {
  const active = document.activeElement;
  const menu = active?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
}
