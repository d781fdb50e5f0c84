import { createEffect, on, onCleanup } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { activeElement, listen, type PagePlace } from '../../lib/root.ts';
import { isFocusLost } from '../../parts/focus.ts';
import { isInMenu, mayTakeFocus } from '../focus.ts';
import type { Workspace } from '../workspace.ts';

/** Focuses a pane when it is activated, when it becomes ready, when its content is replaced, and on request. */
export function createPaneFocus(
  workspace: Pick<Workspace, 'focus_wish'>,
  is_ready: () => boolean,
  focus: () => void,
  place?: () => Element | undefined,
): void {
  const app = useApp();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopWaiting = () => {};
  const stop = () => {
    clearTimeout(timer);
    stopWaiting();
  };
  onCleanup(stop);
  createEffect(
    on([is_ready, workspace.focus_wish], ([ready, wish], before) => {
      stop();
      if (!ready) return;
      const is_coming = before?.[0] === false;
      const is_wished = before !== undefined && before[1] !== wish;
      // Wait until a closing dialog is gone. If a click inside the pane activated it, the focus is already there.
      timer = setTimeout(() => {
        const is_taken = (is_coming && hasKeys(place?.())) || (!is_wished && isInMenu());
        if (mayTakeFocus(app.place) && !is_taken) focus();
        else if (isInMenu()) stopWaiting = afterMenu(app.place, focus);
      });
    }),
  );
}

/** Not the pane itself, which only holds the focus of a removed element. */
function hasKeys(place: Element | undefined): boolean {
  const active = activeElement();
  return (active !== place && place?.contains(active) === true) || isInMenu();
}

/** The menu that opened the pane may still be there. Calls back when it is gone and has left the focus to nobody. */
function afterMenu(place: PagePlace, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unlisten = listen(place, ['focusout'], () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isInMenu()) return;
      unlisten();
      if (isFocusLost()) call();
    });
  });
  return () => {
    clearTimeout(timer);
    unlisten();
  };
}
