/** An element and its ancestors, innermost first. */
export function chainOf(element: Element | null): HTMLElement[] {
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
export function focusNearest(chain: readonly HTMLElement[]): void {
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
