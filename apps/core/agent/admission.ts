import type { Callers } from '../accounts/callers.ts';
import type { Reach } from '../hosts/reach.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { AgentLimits } from '../model/agent.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { credentialOf } from '../policy/account.ts';
import type { ModelAddress } from '../ports/agent.ts';
import type { AgentConfig } from './settings.ts';

export interface Admitted {
  readonly caller: Caller;
  readonly server: ServerRow;
  readonly address: ModelAddress;
  readonly limits: AgentLimits;
}

/** Who may ask the agent about which server. */
export interface AgentAdmission {
  admit(caller: Caller, server_id: number): Promise<Admitted>;
  /** Loads the caller anew: rights may have been withdrawn since. */
  admitAgain(caller: Caller, server_id: number): Promise<Admitted>;
}

interface Deps {
  readonly callers: Pick<Callers, 'fromCredential'>;
  readonly reach: Reach;
  readonly config: Pick<AgentConfig, 'inForce'>;
}

export function createAgentAdmission({ callers, reach, config }: Deps): AgentAdmission {
  async function admit(caller: Caller, server_id: number): Promise<Admitted> {
    const server = await reach(caller, 'ask_agent', server_id);
    const { address, limits } = await config.inForce();
    return { caller, server, address, limits };
  }

  return {
    admit,
    async admitAgain(caller, server_id) {
      return admit(await callers.fromCredential(credentialOf(caller), caller.ip_address), server_id);
    },
  };
}
