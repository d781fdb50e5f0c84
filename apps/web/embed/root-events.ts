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
