import { useQuery } from '@tanstack/solid-query';
import { onMount, Show } from 'solid-js';
import type { Schemas } from '#client/client.ts';
import { useApp } from '../app/context.ts';
import { serversQuery } from '../servers/servers.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { useAgentPanels } from './panels.ts';

interface Props {
  readonly tab: Tab;
  readonly reason: Schemas['AgentStatus']['reason'];
  readonly onShown: () => void;
}

/** Why the agent does not answer, and who can change that. */
export function AgentOff(props: Props) {
  const { client, session, t } = useApp();
  const { goTo, show } = useWorkspace();
  const agent = useAgentPanels();
  const servers = useQuery(() => serversQuery(client));
  const server = () => servers.data?.find(({ id }) => id === props.tab.server_id);
  const is_admin = () => session.user()?.is_admin === true;
  const is_server = () => props.reason === 'agent_disabled_for_server';
  onMount(() => agent.takeWish(props.tab.id) && setTimeout(props.onShown));
  const text = () => {
    const where = is_server() ? 'server' : 'gateway';
    return t(`agent_off_${where}_${is_admin() ? 'admin' : 'user'}`, { name: props.tab.server_name });
  };
  return (
    <div class="agent-off">
      <p>{text()}</p>
      <Show when={is_admin() && !is_server()}>
        <button type="button" class="button" onClick={() => goTo('/admin/agent')}>
          {t('agent_off_set_up')}
        </button>
      </Show>
      <Show when={is_admin() && is_server() && server()}>
        {(known) => (
          <button
            type="button"
            class="button"
            onClick={() => show({ kind: 'server_form', server: known(), is_whole: true })}
          >
            {t('edit_of', { name: known().name })}
          </button>
        )}
      </Show>
    </div>
  );
}
