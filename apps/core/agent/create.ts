import type { AuditTrail } from '../audit/trail.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Reach } from '../hosts/reach.ts';
import type { LanguageModels } from '../ports/agent.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { type AgentSettingsService, createAgentSettings } from './settings.ts';
import { type AgentStatuses, createAgentStatuses } from './status.ts';
import { type AgentTrial, createAgentTrial } from './trial.ts';

export interface AgentServices {
  readonly agent_settings: AgentSettingsService & AgentTrial & AgentStatuses;
}

export interface AgentPorts {
  readonly repositories: Pick<Repositories, 'agent_settings'>;
  readonly language_models: LanguageModels;
  readonly clock: Clock;
  readonly background: Background;
}

interface Deps {
  readonly vault: Vault;
  readonly trail: AuditTrail;
  readonly reach: Reach;
}

export function createAgentFeature(ports: AgentPorts, { vault, trail, reach }: Deps) {
  const { repositories, language_models, clock, background } = ports;
  const config = createAgentSettings({ repositories, vault, language_models, trail, background });
  const services: AgentServices = {
    agent_settings: {
      ...config,
      ...createAgentTrial({ config, language_models, trail, clock }),
      ...createAgentStatuses({ config, reach }),
    },
  };
  return { services };
}
