import { onCleanup } from 'solid-js';
import { useApp } from '../app/context.ts';
import { activeElement, listen, type PagePlace } from '../lib/root.ts';

/** For a `ref`: when the focused element is removed or disabled, the focus moves to its closest remaining ancestor. */
export function createFocusHold(): (place: HTMLElement) => void {
  let place: HTMLElement | undefined;
  let chain: readonly HTMLElement[] = [];
  const remember = ({ target }: Event) => {
    const is_inside = target instanceof HTMLElement && place?.contains(target) === true;
    chain = is_inside ? chainOf(target) : [];
  };
  const changes = new MutationObserver(() => {
    if (chain.length > 0 && isFocusLost()) focusNearest(chain);
  });
  onCleanup(listen(useApp().place, ['focusin'], remember));
  onCleanup(() => changes.disconnect());
  return (element) => {
    place = element;
    changes.observe(element, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  };
}

/** Restores the focus after a dialog, unless something else has taken it. */
export function createFocusReturn(): void {
  const before = chainOf(focusOwner(useApp().place));
  onCleanup(() => setTimeout(() => isFocusLost() && !isLeft(before[0]) && focusNearest(before)));
}

/** A pane that is no longer the active one would become active again, and take what is typed. */
export function isLeft(element: Element | undefined): boolean {
  return element?.matches('[role="tabpanel"]:not([data-active]) *, .type-ahead') ?? false;
}

/** Menus close with the dialog's opening, so the button that opened the menu stands in for its item. */
function focusOwner({ root }: PagePlace): Element | null {
  const active = activeElement();
  const menu = active?.closest('[role="menu"]');
  return menu ? root.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
}

/** An element and its ancestors, innermost first. */
function chainOf(element: Element | null): HTMLElement[] {
  const chain: HTMLElement[] = [];
  for (let at = element; at && at !== document.body; at = at.parentElement)
    if (at instanceof HTMLElement) chain.push(at);
  return chain;
}

/** Whether nothing has the focus, or only a disabled element that is about to lose it. */
export function isFocusLost(): boolean {
  const active = activeElement();
  return active === null || active === document.body || active.matches(':disabled');
}

/** Focuses the element, or else its closest remaining ancestor, so that Tab continues from there. */
function focusNearest(chain: readonly HTMLElement[]): void {
  const [own, ...around] = chain;
  if (own?.isConnected && takesFocus(own)) return;
  around.filter(({ isConnected }) => isConnected).some(focusPlace);
}

function takesFocus(element: HTMLElement): boolean {
  element.focus();
  return activeElement() === element && !element.matches(':disabled');
}

/** Focuses an element that is not focusable by itself, for as long as it keeps the focus. */
export function focusPlace(place: HTMLElement): boolean {
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
  }
  place.focus({ preventScroll: true });
  return activeElement() === place;
}
