import { onCleanup } from 'solid-js';
import { chainOf, focusNearest, isFocusLost } from './chain.ts';

/** Gives the focus back to where it was before a dialog, unless it has found a place meanwhile. */
export function createFocusReturn(): void {
  const before = chainOf(focusOwner());
  onCleanup(() => setTimeout(() => isFocusLost() && focusNearest(before)));
}

/** A menu is gone by then; the button that opened it is not. */
function focusOwner(): Element | null {
  const active = document.activeElement;
  const menu = active?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
}
