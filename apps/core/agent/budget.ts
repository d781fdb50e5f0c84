import { Fault } from '../errors.ts';
import type { AgentLimits } from '../model/agent.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

const DAY_MS = 24 * 60 * 60_000;
export const CHARACTERS_PER_TOKEN = 4;

/** For providers that do not count, and for what has not been sent yet. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Tokens of a user, by UTC days. */
export interface AgentBudget {
  /** Throws `agent_budget` when those of today are used up. */
  assertLeft(user_id: number, limits: Pick<AgentLimits, 'tokens_per_day'>): Promise<void>;
  charge(user_id: number, tokens: number): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'agent_usage'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createAgentBudget({ repositories: { agent_usage }, clock }: Deps): AgentBudget {
  return {
    async assertLeft(user_id, { tokens_per_day }) {
      if (tokens_per_day === 0) return;
      const now = clock.now();
      if ((await agent_usage.tokens(user_id, dayOf(now))) < tokens_per_day) return;
      const retry_after = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);
      throw new Fault('agent_budget', undefined, { retry_after });
    },

    async charge(user_id, tokens) {
      if (tokens > 0) await agent_usage.add(user_id, dayOf(clock.now()), tokens);
    },
  };
}

/** Midnight in UTC. */
export function dayOf(now: Date): string {
  return new Date(now.getTime() - (now.getTime() % DAY_MS)).toISOString();
}
