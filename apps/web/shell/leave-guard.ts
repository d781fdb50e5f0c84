import { useApp } from '../app/context.ts';
import { askBeforeUnload } from '../lib/before-unload.ts';
import type { Terminals } from '../open-terminals/terminals.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { Unsaved } from '../workspace/unsaved/unsaved.ts';

/** Asks before unload while there is unsaved text, or a shell that cannot be resumed after a reload. */
export function guardLeaving(terminals: Terminals, unsaved: Unsaved): void {
  askBeforeUnload(useApp().place, () => losesShell(terminals) || unsaved.isAnyDirty());
}

/** Own shells that run in open tabs. */
export function runningShells({ list }: Pick<Terminals, 'list'>): number {
  return list().filter(({ session_id, role }) => session_id() !== undefined && role() === 'owner').length;
}

/** Whether closing its tab would end a shell. One that reconnects still runs. */
export function holdsShell({ of }: Pick<Terminals, 'of'>, tab: Tab): boolean {
  const handle = of(tab.id);
  const is_running = handle?.session_id() !== undefined || tab.session_id !== undefined;
  return tab.kind === 'terminal' && is_running && handle?.role() === 'owner' && !handle.ended();
}

export function losesShell({ list }: Pick<Terminals, 'list'>): boolean {
  return list().some(({ session_id, outlives_page }) => session_id() !== undefined && !outlives_page());
}
