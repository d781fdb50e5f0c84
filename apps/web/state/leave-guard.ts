import { onCleanup } from 'solid-js';
import type { Workspace } from './workspace.ts';

/** The browser asks before the page goes while a shell would end with it. */
export function guardLeaving({ tabs, statuses }: Workspace): void {
  const onLeave = (event: BeforeUnloadEvent) => {
    const is_live = tabs.list.some(({ id }) => statuses[id]?.text === 'state_connected');
    if (is_live) event.preventDefault();
  };
  window.addEventListener('beforeunload', onLeave);
  onCleanup(() => window.removeEventListener('beforeunload', onLeave));
}
