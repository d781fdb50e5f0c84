import type { Callers } from '../accounts/callers.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Vault } from '../crypto/vault.ts';
import type { FileServices } from '../files/create.ts';
import type { Connections } from '../hosts/connections.ts';
import type { Reach } from '../hosts/reach.ts';
import type { LanguageModels } from '../ports/agent.ts';
import type { Inspections } from '../ports/inspections.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { createChatParts } from './chat-parts.ts';
import type { Chats } from './chats.ts';
import { type AgentSettingsService, createAgentSettings } from './settings.ts';
import { type AgentStatuses, createAgentStatuses } from './status.ts';
import { createAgentTools } from './tools.ts';
import { type AgentTrial, createAgentTrial } from './trial.ts';

export interface AgentServices {
  readonly agent_settings: AgentSettingsService & AgentTrial & AgentStatuses;
  readonly agent_chats: Chats;
}

export interface AgentPorts {
  readonly repositories: Pick<Repositories, 'agent_settings' | 'agent_messages' | 'agent_usage'>;
  readonly language_models: LanguageModels;
  readonly inspections: Inspections;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

interface Deps {
  readonly callers: Callers;
  readonly vault: Vault;
  readonly trail: AuditTrail;
  readonly reach: Reach;
  readonly connections: Connections;
  readonly activities: ActivityRegistry;
  readonly files: Pick<FileServices, 'files' | 'looks'>;
  readonly run_id: string;
}

export function createAgentFeature(ports: AgentPorts, deps: Deps) {
  const { repositories, language_models, inspections, clock, background } = ports;
  const { vault, trail, reach, connections, activities, files } = deps;
  const config = createAgentSettings({ repositories, vault, language_models, trail, background });
  const tools = createAgentTools({ ...files, reach, connections, activities, inspections, clock });
  const { chats, jobs, endOrphans } = createChatParts(
    { ...ports, models: language_models },
    { ...deps, config, tools },
  );
  const services: AgentServices = {
    agent_settings: {
      get: config.get, // not the whole of it: the rest opens the key
      update: config.update,
      ...createAgentTrial({ config, language_models, trail, clock }),
      ...createAgentStatuses({ config, reach }),
    },
    agent_chats: chats,
  };
  return { services, jobs, endOrphans };
}
