import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { dayOf } from './budget.ts';
import type { AgentConfig } from './settings.ts';

const DAY_MS = 24 * 60 * 60_000;
const USAGE_KEPT_DAYS = 7; // only the present day counts

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_messages' | 'agent_usage'>;
  readonly config: Pick<AgentConfig, 'retentionDays'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Removes chats that nobody has continued for long, whether the agent is on or off. */
export function createChatRetention({ repositories, config, clock }: Deps) {
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  return async (): Promise<void> => {
    await repositories.agent_messages.removeOlder(daysAgo(await config.retentionDays()).toISOString());
    await repositories.agent_usage.removeOlder(dayOf(daysAgo(USAGE_KEPT_DAYS)));
  };
}
