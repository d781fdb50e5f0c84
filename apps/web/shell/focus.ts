import { activeElement, type PagePlace } from '../lib/root.ts';

/** Whether a dialog is open that keeps the rest of the page out of reach. */
export function isModalOpen({ root }: PagePlace): boolean {
  return root.querySelector('.dialog-place') !== null;
}

/** Whether a pane may take the focus: not while the user types elsewhere or a dialog is open. */
export function mayTakeFocus({ root, mayFocus }: PagePlace): boolean {
  if (mayFocus?.() === false) return false;
  const active = activeElement();
  if (root.querySelector('[role="dialog"], [role="alertdialog"]')) return false;
  if (!active || active.classList.contains('xterm-helper-textarea')) return true;
  return !active.matches('input, textarea, select, [contenteditable="true"]');
}

export function isInTerminal(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.xterm') !== null;
}

/** The first button in the banner above the focused terminal. */
export function bannerOver(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof Element) || !isInTerminal(target)) return undefined;
  const steps = '.banner button, .terminal-notice button';
  return target.closest('[role="tabpanel"]')?.querySelector<HTMLElement>(steps) ?? undefined;
}
