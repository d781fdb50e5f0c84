import { createEffect, on, onCleanup } from 'solid-js';
import { mayTakeFocus } from '../focus.ts';
import type { Workspace } from '../workspace.ts';

/** Focuses a pane when it is activated, when it becomes ready, and on request. */
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
      // Wait until a closing dialog is gone. If a click inside the pane activated it, the focus is already there.
      timer = setTimeout(() => mayTakeFocus() && !(is_coming && hasKeys(place?.())) && focus());
    }),
  );
}

/** Counts a menu opened from the pane, but not the pane itself, which only holds the focus of a removed element. */
function hasKeys(place: Element | undefined): boolean {
  const active = document.activeElement;
  const is_inside = active !== place && place?.contains(active) === true;
  return is_inside || active?.closest('[role="menu"]') != null;
}
