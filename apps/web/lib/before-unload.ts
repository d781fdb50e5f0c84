import { onCleanup } from 'solid-js';
import type { PagePlace } from './root.ts';

/** Makes the browser ask before the page is left. A page of another site decides that itself. */
export function askBeforeUnload({ is_guest }: PagePlace, isNeeded: () => boolean): void {
  if (is_guest) return;
  const onLeave = (event: BeforeUnloadEvent) => {
    if (isNeeded()) event.preventDefault();
  };
  window.addEventListener('beforeunload', onLeave);
  onCleanup(() => window.removeEventListener('beforeunload', onLeave));
}
