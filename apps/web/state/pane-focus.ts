import { createEffect, on, onCleanup } from 'solid-js';
import { mayTakeFocus } from './focus.ts';
import type { Workspace } from './workspace.ts';

/** A pane takes the focus when it comes to the front, when it becomes ready, and when that is wished for. */
export function createPaneFocus(workspace: Workspace, is_ready: () => boolean, focus: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  createEffect(
    on([is_ready, workspace.focus_wish], ([ready]) => {
      clearTimeout(timer);
      if (!ready) return;
      timer = setTimeout(() => mayTakeFocus() && focus()); // after a closing dialog has gone
    }),
  );
}
