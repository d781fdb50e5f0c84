import { onCleanup } from 'solid-js';
import { delegateEvents } from 'solid-js/web';

/** They end at the shadow root when they move between two elements in it. */
const INNER = ['focusin', 'focusout', 'mouseout', 'mouseover', 'pointerout', 'pointerover'];

const followed = new WeakSet<ShadowRoot>();

/** Solid listens at the document: hands it the events that do not get there. */
export function followInside(root: ShadowRoot): void {
  if (followed.has(root)) return;
  followed.add(root);
  const inside = {
    addEventListener(type: string, handle: (event: Event) => void) {
      root.addEventListener(type, (event) => {
        if (!event.composedPath().includes(document)) handle(event);
      });
    },
  };
  delegateEvents(INNER, inside as Document);
}

/** Whether the user works in the element: only then it moves the focus by itself. */
export function createAttention(root: ShadowRoot): () => boolean {
  let is_here = false;
  const attend = (event: Event) => {
    is_here = event.composedPath().includes(root);
  };
  const acts = ['focusin', 'pointerdown'];
  for (const act of acts) document.addEventListener(act, attend, true);
  onCleanup(() => {
    for (const act of acts) document.removeEventListener(act, attend, true);
  });
  return () => is_here;
}
