import { useApp } from '../app/context.ts';
import { TerminalWindow, type TerminalWindowProps } from '../open-terminals/terminal-window.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import type { Feature } from '../workspace/features.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { type OnServers, SnippetOnServers } from './on-servers.tsx';
import { SnippetWindow } from './window.tsx';

declare module '../workspace/windows.ts' {
  interface Windows {
    snippets: TerminalWindowProps;
    snippet_on: OnServers;
  }
}

export const snippetsFeature: Feature = {
  windows: {
    snippets: {
      View: (props) => (
        <TerminalWindow {...props}>
          {(handle, close) => <SnippetWindow handle={handle} onClose={close} />}
        </TerminalWindow>
      ),
    },
    snippet_on: { View: SnippetOnServers },
  },
  createCommands() {
    const { t } = useApp();
    const { goTo } = useWorkspace();
    const why = useReadOnlyReason();
    const create = () => ({
      title: t('snippet_create'),
      hint: t('snippets'),
      also: t('palette_create'),
      run: () => goTo('/account/snippets?new=1'),
    });
    return { create: () => (why() === undefined ? [create()] : []) };
  },
};
