import { onCleanup } from 'solid-js';
import type { Unsaved } from './editor-unsaved.ts';
import type { Workspace } from './workspace.ts';

/** The browser asks before the page goes while a shell or unsaved text would go with it. */
export function guardLeaving({ tabs, statuses }: Workspace, unsaved: Unsaved): void {
  const onLeave = (event: BeforeUnloadEvent) => {
    const is_live = tabs.list.some(({ id }) => statuses[id]?.text === 'state_connected');
    if (is_live || unsaved.isAnyDirty()) event.preventDefault();
  };
  window.addEventListener('beforeunload', onLeave);
  onCleanup(() => window.removeEventListener('beforeunload', onLeave));
}
