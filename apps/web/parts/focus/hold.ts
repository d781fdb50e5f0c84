import { onCleanup } from 'solid-js';
import { chainOf, focusNearest, isFocusLost } from './chain.ts';

/** For a `ref`: when what has the focus vanishes or is switched off, the keys still lead to the place that it was in. */
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
