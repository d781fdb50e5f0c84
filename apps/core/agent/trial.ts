import type { AuditTrail } from '../audit/trail.ts';
import { joinSignals } from '../lib/concurrency/joined-signal.ts';
import { startDeadline } from '../lib/time/deadline.ts';
import type { Caller } from '../model/accounts/caller.ts';
import { type AgentTest, type AgentTestInput, baseUrlOf } from '../model/agent.ts';
import { assertMay } from '../policy/account.ts';
import { type LanguageModels, type ModelAddress, ModelFailed, type ModelTool } from '../ports/agent.ts';
import type { Clock } from '../ports/runtime.ts';
import type { AgentConfig } from './settings.ts';

const TIMEOUT_MS = 20_000;
const MAX_TOKENS = 64;

/** Many local models cannot call tools: better to learn it here than in the first chat. */
const TOOL: ModelTool = {
  name: 'nothing',
  description: 'Does nothing',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

/** Tries a provider and a model, saved or not. */
export interface AgentTrial {
  /** Tries the stored settings without `input`. Without a model, it only lists models. Throws what saving would refuse. */
  test(caller: Caller, input: AgentTestInput | undefined, signal: AbortSignal): Promise<AgentTest>;
}

interface Deps {
  readonly config: Pick<AgentConfig, 'addressOf'>;
  readonly language_models: Pick<LanguageModels, 'models' | 'stream'>;
  readonly trail: AuditTrail;
  readonly clock: Pick<Clock, 'after'>;
}

export function createAgentTrial({ config, language_models, trail, clock }: Deps): AgentTrial {
  async function askOnce(address: ModelAddress, signal: AbortSignal): Promise<void> {
    const answer = language_models.stream(address, {
      system: 'Answer with one word.',
      messages: [{ role: 'user', text: 'Answer: ready' }],
      tools: [TOOL],
      max_output_tokens: MAX_TOKENS,
      signal,
    });
    for await (const _ of answer); // only its failure matters
  }

  async function tried(address: ModelAddress, signal: AbortSignal): Promise<AgentTest> {
    const listing = await orFailure(language_models.models(address, signal));
    const models = listing instanceof ModelFailed ? [] : listing;
    if (address.model !== '') {
      const failure = await orFailure(askOnce(address, signal));
      if (failure) return { ok: false, models, detail: failure.message };
      return { ok: true, models, detail: `${address.model} answers` };
    }
    if (listing instanceof ModelFailed) return { ok: false, models, detail: listing.message };
    return { ok: true, models, detail: 'The provider answers; choose a model' };
  }

  return {
    async test(caller, input, signal) {
      assertMay(caller, 'administer_confirmed');
      const address = await config.addressOf(input);
      if (!address) return { ok: false, models: [], detail: 'Choose a provider' };
      await trail.record(caller, 'agent_settings_test', `${address.provider} at ${originOf(address)}`);
      const error = () => new ModelFailed(`No answer within ${TIMEOUT_MS / 1000} s`);
      const deadline = startDeadline({ after: clock.after, ms: TIMEOUT_MS, error });
      const joined = joinSignals(signal, deadline.signal);
      try {
        return await tried(address, joined.signal);
      } catch (error) {
        if (signal.aborted) return { ok: false, models: [], detail: 'Nobody waits for the answer' };
        throw error;
      } finally {
        joined.leave();
        deadline.cancel();
      }
    },
  };
}

async function orFailure<T>(work: Promise<T>): Promise<T | ModelFailed> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ModelFailed) return error;
    throw error;
  }
}

/** Its address has been judged, so it is a URL. */
function originOf(address: ModelAddress): string {
  return new URL(baseUrlOf(address)).origin;
}
