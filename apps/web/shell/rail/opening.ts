import { type App, useApp } from '../../app/context.ts';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import type { TypeAhead } from '../../open-terminals/type-ahead.ts';
import { groupPath } from '../../servers/groups/groups.ts';
import type { Server } from '../../servers/servers.ts';
import { openAhead } from '../../terminal/opening/request-before-tab.tsx';
import type { TabKind } from '../../workspace/tabs/tabs.ts';
import { useWorkspace, type Workspace } from '../../workspace/workspace.ts';

export type Offer = Extract<TabKind, 'terminal' | 'files'>;

/** A terminal, or files if the server offers no terminal. */
export function firstOffer(server: Server): Offer | undefined {
  if (server.ssh_enabled) return 'terminal';
  return server.sftp_enabled ? 'files' : undefined;
}

export function isOffered(server: Server, kind: Offer): boolean {
  return kind === 'terminal' ? server.ssh_enabled : server.sftp_enabled;
}

export interface Opening {
  /** Without a kind, what the server offers first. Does nothing if it does not offer this. */
  open(server: Server, kind?: Offer): void;
  /** In a pane to the right of the active one. */
  openBeside(server: Server): void;
  /** All of them as tiles. */
  openTiled(servers: readonly Server[], kind: Offer): void;
}

/** Opens tabs on servers. */
export function createOpening(app: App, workspace: Workspace, typing: TypeAhead): Opening {
  const wantedOf = (server: Server, kind: Offer) => ({
    kind,
    server_id: server.id,
    server_name: server.name,
  });
  return {
    open(server, kind = firstOffer(server)) {
      if (!kind || !isOffered(server, kind)) return;
      const show = () => {
        workspace.setSheetOpen(false);
        const tab_id = workspace.tabs.open(wantedOf(server, kind));
        workspace.wishFocus();
        return tab_id;
      };
      if (kind === 'terminal') openAhead({ app, workspace, typing }, server.id, show);
      else show();
    },
    openBeside(server) {
      const kind = firstOffer(server);
      if (!kind) return;
      workspace.setSheetOpen(false);
      workspace.panes.openBeside(wantedOf(server, kind));
      workspace.wishFocus();
    },
    openTiled(servers, kind) {
      workspace.setSheetOpen(false);
      workspace.panes.openTiled(servers.map((server) => wantedOf(server, kind)));
      workspace.wishFocus();
    },
  };
}

/** Opens the page of a group. */
export function useOpenGroup(): (name: string) => void {
  const { session } = useApp();
  const { goTo, setSheetOpen } = useWorkspace();
  return (name) => {
    setSheetOpen(false);
    goTo(groupPath(session.user()?.is_admin === true, name));
  };
}

export function useOpening(): Opening {
  return createOpening(useApp(), useWorkspace(), useOpenTerminals().typing);
}
