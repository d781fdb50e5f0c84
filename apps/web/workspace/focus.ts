import { activeElement, type PagePlace } from '../lib/root.ts';

/** Whether a dialog is open that keeps the rest of the page out of reach. */
export function isModalOpen({ root }: PagePlace): boolean {
  return root.querySelector('.dialog-place') !== null;
}

/** Has the focus while the chosen terminal cannot have it. */
export const TYPE_AHEAD = 'type-ahead';

/** Whether a pane may take the focus: not while the user types elsewhere, a dialog is open, or another terminal was chosen. */
export function mayTakeFocus({ root, mayFocus }: PagePlace): boolean {
  if (mayFocus?.() === false) return false;
  const active = activeElement();
  if (root.querySelector('[role="dialog"], [role="alertdialog"]')) return false;
  if (!active || active.classList.contains('xterm-helper-textarea')) return true;
  if (active instanceof HTMLElement && active.classList.contains(TYPE_AHEAD))
    return active.dataset['claimed'] !== 'true';
  return !active.matches('input, textarea, select, [contenteditable="true"]');
}

/** Also before the terminal is there. */
export function isInTerminal(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`.xterm, .${TYPE_AHEAD}`) !== null;
}

export function isInMenu(): boolean {
  return activeElement()?.closest('[role="menu"]') != null;
}

/** The first button in the banner above the focused terminal. */
export function bannerOver(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof Element) || !isInTerminal(target)) return undefined;
  const steps = '.banner button, .terminal-notice button';
  return target.closest('[role="tabpanel"]')?.querySelector<HTMLElement>(steps) ?? undefined;
}
