import { useQuery } from '@tanstack/solid-query';
import { useApp } from '../app/context.ts';
import { canReceive } from '../open-terminals/broadcast.ts';
import { useOpenTerminals } from '../open-terminals/open-terminals.ts';
import { TerminalWindow, type TerminalWindowProps } from '../open-terminals/terminal-window.tsx';
import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import type { Command } from '../workspace/commands/command.ts';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import type { OnServers } from './on-servers.tsx';
import { type Snippet, snippetsQuery } from './snippets.ts';
import { SnippetWindow } from './window.tsx';

declare module '../workspace/windows.ts' {
  interface Windows {
    snippets: TerminalWindowProps & { readonly snippet?: Snippet };
    snippet_on: OnServers;
  }
}

const SnippetOnServers = loadableDialog(async () => (await import('./on-servers.tsx')).SnippetOnServers);

export const snippetsFeature: Feature = {
  windows: {
    snippets: {
      View: (props) => (
        <TerminalWindow {...props}>
          {(handle, close) => <SnippetWindow handle={handle} snippet={props.snippet} onClose={close} />}
        </TerminalWindow>
      ),
    },
    snippet_on: { View: SnippetOnServers },
  },
  createCommands: createSnippetCommands,
};

function createSnippetCommands(): FeatureCommands {
  const { client, t } = useApp();
  const { goTo, show, tabs } = useWorkspace();
  const { terminals } = useOpenTerminals();
  const snippets = useQuery(() => snippetsQuery(client));
  const why = useReadOnlyReason();
  const hint = t('snippets');
  const create = () => ({
    title: t('snippet_create'),
    hint,
    also: t('palette_create'),
    run: () => goTo('/account/snippets?new=1'),
  });
  /** Asks before it is sent to the active terminal, and is shown in the list without one. */
  function commandOf(snippet: Snippet): Command {
    const { id, name, description } = snippet;
    const handle = terminals.of(tabs.active()?.id ?? '');
    return {
      ...{ title: name, hint, also: description },
      run: () =>
        handle && canReceive(handle)
          ? show({ kind: 'snippets', tab_id: handle.tab_id, snippet })
          : goTo(`/account/snippets?snippets_open=${id}`),
    };
  }
  return {
    create: () => (why() === undefined ? [create()] : []),
    record: () => (snippets.data ?? []).map(commandOf),
  };
}
