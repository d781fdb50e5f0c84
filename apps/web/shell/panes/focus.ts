import { createEffect, on, onCleanup } from 'solid-js';
import { mayTakeFocus } from '../focus.ts';
import type { Workspace } from '../workspace.ts';

/** A pane takes the focus when it comes to the front, when it becomes ready, and when that is wished for. */
export function createPaneFocus(
  workspace: Workspace,
  is_ready: () => boolean,
  focus: () => void,
  place?: () => Element | undefined,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  createEffect(
    on([is_ready, workspace.focus_wish], ([ready], before) => {
      clearTimeout(timer);
      if (!ready) return;
      const is_coming = before?.[0] === false;
      // After a closing dialog has gone. A press on something in the pane has brought it to the front, and the keys there.
      timer = setTimeout(() => mayTakeFocus() && !(is_coming && hasKeys(place?.())) && focus());
    }),
  );
}

/** Also where a menu of the place has them; the place itself only keeps them for what has vanished from it. */
function hasKeys(place: Element | undefined): boolean {
  const active = document.activeElement;
  const is_inside = active !== place && place?.contains(active) === true;
  return is_inside || active?.closest('[role="menu"]') != null;
}
