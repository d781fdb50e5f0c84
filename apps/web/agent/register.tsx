import type { ParentProps } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { Feature } from '../workspace/features.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { AgentPanelsProvider, createAgentPanels, useAgentPanels } from './panels.ts';

export const agentFeature: Feature = {
  createCommands() {
    const { t } = useApp();
    const { tabs } = useWorkspace();
    const agent = useAgentPanels();
    return {
      tab() {
        const tab = tabs.active();
        if (!tab || tab.server_id === 0) return [];
        return [{ title: t('agent_ask'), hint: tab.server_name, run: () => agent.open({ tab_id: tab.id }) }];
      },
    };
  },
  Provider: AgentProvider,
};

function AgentProvider(props: ParentProps) {
  const panels = createAgentPanels(useWorkspace().tabs);
  return <AgentPanelsProvider value={panels}>{props.children}</AgentPanelsProvider>;
}
