import type { Callers } from '../accounts/callers.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Reach } from '../hosts/reach.ts';
import { every } from '../lib/time/timers.ts';
import { type Job, toJob } from '../lifecycle.ts';
import type { LanguageModels } from '../ports/agent.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { createAgentAdmission } from './admission.ts';
import { createAgentBudget } from './budget.ts';
import { type Chats, createChats } from './chats.ts';
import { createDialogue } from './dialogue.ts';
import { createOrphanedTurns } from './orphans.ts';
import { createChatRetention } from './retention.ts';
import { createSealedMessages } from './sealed-messages.ts';
import type { AgentConfig } from './settings.ts';
import { createTurnStreams } from './streams.ts';
import type { AgentTools } from './tool.ts';
import { createTurns } from './turns.ts';

const RETENTION_INTERVAL_MS = 60 * 60_000;

export interface ChatPorts {
  readonly repositories: Pick<Repositories, 'agent_messages' | 'agent_usage'>;
  readonly models: Pick<LanguageModels, 'stream'>;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

export interface ChatDeps {
  readonly callers: Callers;
  readonly reach: Reach;
  readonly config: Pick<AgentConfig, 'inForce' | 'retentionDays'>;
  readonly tools: AgentTools;
  readonly vault: Vault;
  readonly trail: AuditTrail;
  readonly activities: ActivityRegistry;
  readonly run_id: string;
}

export interface ChatParts {
  readonly chats: Chats;
  readonly jobs: readonly Job[];
  /** Ends the turns of instances that have ended. */
  readonly endOrphans: () => Promise<void>;
}

export function createChatParts(ports: ChatPorts, deps: ChatDeps): ChatParts {
  const { repositories, clock, background } = ports;
  const admission = createAgentAdmission(deps);
  const budget = createAgentBudget(ports);
  const stored = createSealedMessages(deps.vault);
  const dialogue = createDialogue({ ...ports, ...deps, admission, budget });
  const turns = createTurns({ ...ports, ...deps, stored, dialogue });
  const streams = createTurnStreams();
  const removeOld = createChatRetention({ ...ports, ...deps });
  const keepDays = () => {
    const run = () => background.run('remove old chats', removeOld());
    run();
    return every(clock.after, RETENTION_INTERVAL_MS, run);
  };
  let stopWatch = () => {};
  const running: Job = {
    name: 'turns of the agent',
    start() {
      stopWatch = turns.watch();
    },
    async stop() {
      await turns.close();
      stopWatch();
    },
  };
  return {
    chats: createChats({ ...ports, ...deps, stored, admission, budget, turns, streams }),
    jobs: [toJob('retention of chats', keepDays), running],
    endOrphans: createOrphanedTurns({ repositories, stored, turns, clock, run_id: deps.run_id }),
  };
}
