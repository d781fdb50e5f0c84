import type { PagePlace } from '../../lib/root.ts';
import { canReceive } from '../../open-terminals/broadcast.ts';
import type { Terminals } from '../../open-terminals/terminals.ts';
import { bannerOver, isInTerminal, isModalOpen } from '../../workspace/focus.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** The chord that opens the palette: in a terminal Ctrl+K belongs to the shell. */
export function paletteChord(active: Pick<Tab, 'kind'> | undefined): string {
  return active?.kind === 'terminal' ? 'Ctrl Shift P' : 'Ctrl K';
}

interface Tools {
  readonly terminals: Terminals;
  readonly quick_enabled: () => boolean;
}

/** Page-wide shortcuts, handled before a terminal gets the keys. */
export function createShortcuts(
  place: PagePlace,
  workspace: Workspace,
  { terminals, quick_enabled }: Tools,
): (event: KeyboardEvent) => void {
  return (event) => {
    if (isModalOpen(place)) return;
    const run =
      shortcutOf(event, workspace) ?? toolShortcutOf(event, workspace, { terminals, quick_enabled });
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
}

function shortcutOf(event: KeyboardEvent, workspace: Workspace): (() => void) | undefined {
  const { tabs, window, show } = workspace;
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  const letter = key.toLowerCase();
  const command = ctrlKey || metaKey;
  const palette = () => show(window()?.kind === 'palette' ? undefined : { kind: 'palette' });
  const free = window() === undefined || window()?.kind === 'palette';
  // Right after opening, the dialog does not listen for Escape yet.
  if (key === 'Escape' && window()?.kind === 'palette') return () => show(undefined);
  if (command && shiftKey && !altKey && letter === 'p' && free) return palette;
  if (command && !shiftKey && !altKey && letter === 'k' && free && !isInTerminal(event.target))
    return palette;
  if (altKey && !command && !shiftKey && key === 'PageDown') return () => tabs.step(1);
  if (altKey && !command && !shiftKey && key === 'PageUp') return () => tabs.step(-1);
  return paneShortcutOf(event, workspace);
}

function paneShortcutOf(event: KeyboardEvent, { panes, tabs, window }: Workspace): (() => void) | undefined {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  const command = ctrlKey || metaKey;
  const letter = key.toLowerCase();
  if (altKey || window() !== undefined) return undefined;
  if (command && shiftKey && letter === 'e') return () => panes.split('right');
  if (command && shiftKey && letter === 'd') return () => panes.split('bottom');
  if (command && shiftKey && letter === 't' && tabs.can_reopen()) return tabs.reopen;
  return key === 'F6' ? stepOf(event, panes) : undefined;
}

/**
 * In a terminal F6 belongs to the running program. Ctrl+F6 moves the focus to the banner above the terminal if there is
 * one, and otherwise to the next pane.
 */
function stepOf({ target, ctrlKey, metaKey, shiftKey }: KeyboardEvent, panes: Workspace['panes']) {
  if (isInTerminal(target) && !(ctrlKey || metaKey)) return undefined;
  const banner = bannerOver(target);
  if (banner) return () => banner.focus();
  return panes.is_split() ? () => panes.step(shiftKey ? -1 : 1) : undefined;
}

/** Only Ctrl+Shift letters that no browser reserves. */
function toolShortcutOf(
  event: KeyboardEvent,
  workspace: Workspace,
  { terminals, quick_enabled }: Tools,
): (() => void) | undefined {
  const { window, show } = workspace;
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (altKey || !shiftKey || !(ctrlKey || metaKey) || window() !== undefined) return undefined;
  const letter = key.toLowerCase();
  if (letter === 'o' && quick_enabled()) return () => show({ kind: 'quick_connect' });
  if (letter === 's') return terminalTool('snippets', workspace, terminals);
  return letter === 'b' ? terminalTool('broadcast', workspace, terminals) : undefined;
}

function terminalTool(kind: 'snippets' | 'broadcast', { tabs, show }: Workspace, terminals: Terminals) {
  const handle = terminals.of(tabs.active()?.id ?? '');
  return handle && canReceive(handle) ? () => show({ kind, tab_id: handle.tab_id }) : undefined;
}
