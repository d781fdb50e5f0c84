import { parentOf } from '../../lib/paths.ts';
import { keepForPrompt } from '../../open-terminals/first-prompt.ts';
import type { KnownServers } from '../../servers/known-servers.ts';
import type { PaneHost } from '../../workspace/panes/host.ts';
import { moveFileTabs } from '../../workspace/tabs/moved.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { PaneTools } from './tools.tsx';

/** The workspace as its lists and files see it. */
export function createWorkspaceHost(workspace: Workspace, { servers }: KnownServers): PaneHost {
  const { tabs, panes, drags, focus_wish, wishFocus, setStatus, removed, noteRemoved } = workspace;
  return {
    ...{ workspace, drags, focus_wish, wishFocus, setStatus, removed, noteRemoved },
    servers,
    setPath: tabs.setPath,
    openFile({ id, server_id, server_name }, path, is_new) {
      const wanted = { kind: 'file', server_id, server_name, path, ...(is_new ? { is_new } : {}) } as const;
      panes.openNextTo(id, wanted);
    },
    moved: (move) => moveFileTabs(tabs, move),
    openTerminal({ id, server_id, server_name }, command) {
      const tab_id = panes.openNextTo(id, { kind: 'terminal', server_id, server_name });
      keepForPrompt(tab_id, { how: 'propose', text: command });
      wishFocus();
    },
    showList: (file) => showList(workspace, file),
    activate: (tab_id) => tabs.active()?.id !== tab_id && tabs.activate(tab_id),
    close: tabs.close,
    tools: (tab, items) => <PaneTools tab={tab} items={items} />,
  };
}

/** The list that the file was opened from, or else one that shows its directory. */
function showList({ tabs, panes }: Workspace, { id, server_id, server_name, path, opener_id }: Tab): void {
  const directory = parentOf(path);
  const lists = tabs.list.filter((tab) => tab.kind === 'files' && tab.server_id === server_id);
  const list = lists.find((tab) => tab.id === opener_id) ?? lists.find((tab) => tab.path === directory);
  if (list) tabs.activate(list.id);
  else panes.openNextTo(id, { kind: 'files', server_id, server_name, path: directory });
}
