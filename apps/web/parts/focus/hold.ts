import { onCleanup } from 'solid-js';
import { chainOf, focusNearest, isFocusLost } from './chain.ts';

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
