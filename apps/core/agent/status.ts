import { Fault } from '../errors.ts';
import type { Reach } from '../hosts/reach.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { AgentStatus } from '../model/agent.ts';
import { assertMay } from '../policy/account.ts';
import type { AgentConfig, AgentInForce } from './settings.ts';

/** Whether the agent answers, for everybody to see. */
export interface AgentStatuses {
  /** For one server, or in general. */
  status(caller: Caller, server_id: number | undefined): Promise<AgentStatus>;
}

interface Deps {
  readonly config: Pick<AgentConfig, 'inForce'>;
  readonly reach: Reach;
}

export function createAgentStatuses({ config, reach }: Deps): AgentStatuses {
  return {
    async status(caller, server_id) {
      assertMay(caller, 'see_agent');
      const server = server_id === undefined ? undefined : await reach(caller, 'see_agent', server_id);
      const in_force = await orOff(config.inForce());
      if (!in_force) return { enabled: false, reason: 'agent_off', provider: null, model: '' };
      const { provider, model } = in_force.address;
      if (!server || server.agent_enabled) return { enabled: true, reason: null, provider, model };
      return { enabled: false, reason: 'agent_disabled_for_server', provider, model };
    },
  };
}

async function orOff(reading: Promise<AgentInForce>): Promise<AgentInForce | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Fault && error.code === 'agent_off') return undefined;
    throw error;
  }
}
