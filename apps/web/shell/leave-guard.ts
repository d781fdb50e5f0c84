import { onCleanup } from 'solid-js';
import type { Unsaved } from '../editor/unsaved/unsaved.ts';
import type { Terminals } from '../terminal/terminals.ts';
import type { Workspace } from './workspace.ts';

/** Asks before unload while there is unsaved text, or a shell that cannot be resumed after a reload. */
export function guardLeaving({ terminals }: Pick<Workspace, 'terminals'>, unsaved: Unsaved): void {
  const onLeave = (event: BeforeUnloadEvent) => {
    if (losesShell(terminals) || unsaved.isAnyDirty()) event.preventDefault();
  };
  window.addEventListener('beforeunload', onLeave);
  onCleanup(() => window.removeEventListener('beforeunload', onLeave));
}

export function losesShell({ list }: Pick<Terminals, 'list'>): boolean {
  return list().some(({ session_id, outlives_page }) => session_id() !== undefined && !outlives_page());
}
