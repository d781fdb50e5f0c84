import { useApp } from '../app/context.ts';
import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { readDestination } from './destination.ts';
import { formatTarget, openQuick, targetOf, useQuickConnectEnabled } from './quick-connect.ts';

declare module '../workspace/windows.ts' {
  interface Windows {
    quick_connect: unknown;
  }
}

const QuickConnect = loadableDialog<Closable>(
  async () => (await import('./quick-connect-view.tsx')).QuickConnect,
);

export const quickConnectFeature: Feature = {
  windows: { quick_connect: { View: QuickConnect } },
  createCommands: createQuickCommands,
};

function createQuickCommands(): FeatureCommands {
  const { t } = useApp();
  const { show, tabs } = useWorkspace();
  const is_enabled = useQuickConnectEnabled();
  const command = () => ({
    title: t('quick_connect'),
    hint: 'Ctrl+Shift+O',
    run: () => show({ kind: 'quick_connect' }),
  });
  return {
    tab: () => (is_enabled() ? [command()] : []),
    /** A connection to an address; the terminal prompts for credentials. */
    typed(text) {
      const found = is_enabled() ? readDestination(text) : undefined;
      const target = found && !found.jumps ? targetOf(found) : undefined;
      if (!target) return [];
      const name = formatTarget(target);
      return [
        { title: t('quick_to', { name }), hint: t('quick_connect'), run: () => void openQuick(tabs, target) },
      ];
    },
  };
}
