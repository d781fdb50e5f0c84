import { onCleanup } from 'solid-js';

/** For a `ref`: when the focused element is removed or disabled, the focus moves to its closest remaining ancestor. */
export function createFocusHold(): (place: HTMLElement) => void {
  let place: HTMLElement | undefined;
  let chain: readonly HTMLElement[] = [];
  const remember = ({ target }: FocusEvent) => {
    const is_inside = target instanceof HTMLElement && place?.contains(target) === true;
    chain = is_inside ? chainOf(target) : [];
  };
  const changes = new MutationObserver(() => {
    if (chain.length > 0 && isFocusLost()) focusNearest(chain);
  });
  document.addEventListener('focusin', remember);
  onCleanup(() => {
    document.removeEventListener('focusin', remember);
    changes.disconnect();
  });
  return (element) => {
    place = element;
    changes.observe(element, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  };
}

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

/** An element and its ancestors, innermost first. */
function chainOf(element: Element | null): HTMLElement[] {
  const chain: HTMLElement[] = [];
  for (let at = element; at && at !== document.body; at = at.parentElement)
    if (at instanceof HTMLElement) chain.push(at);
  return chain;
}

/** Whether nothing has the focus, or only a disabled element that is about to lose it. */
export function isFocusLost(): boolean {
  const active = document.activeElement;
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
  return document.activeElement === element && !element.matches(':disabled');
}

/** Focuses an element that is not focusable by itself, for as long as it keeps the focus. */
export function focusPlace(place: HTMLElement): boolean {
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
  }
  place.focus({ preventScroll: true });
  return document.activeElement === place;
}
