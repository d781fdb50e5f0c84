/** An element and all that it is in, from the inside out. */
export function chainOf(element: Element | null): HTMLElement[] {
  const chain: HTMLElement[] = [];
  for (let at = element; at && at !== document.body; at = at.parentElement)
    if (at instanceof HTMLElement) chain.push(at);
  return chain;
}

/** Nothing has the focus, or something that is switched off and loses it with the next frame. */
export function isFocusLost(): boolean {
  const active = document.activeElement;
  return active === null || active === document.body || active.matches(':disabled');
}

/** The element itself, or else the innermost place of it that is left: Tab goes on from there. */
export function focusNearest(chain: readonly HTMLElement[]): void {
  const [own, ...around] = chain;
  if (own?.isConnected && takesFocus(own)) return;
  around.filter(({ isConnected }) => isConnected).some(focusPlace);
}

function takesFocus(element: HTMLElement): boolean {
  element.focus();
  return document.activeElement === element && !element.matches(':disabled');
}

/** Something that takes no keys by itself; it can only for as long as it has the focus. */
export function focusPlace(place: HTMLElement): boolean {
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
  }
  place.focus({ preventScroll: true });
  return document.activeElement === place;
}
