import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { untilAborted } from '../lib/time/deadline.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { AgentLimits, AgentQuestion } from '../model/agent.ts';
import {
  type LanguageModels,
  ModelFailed,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ToolCall,
} from '../ports/agent.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Admitted, AgentAdmission } from './admission.ts';
import { type AgentBudget, CHARACTERS_PER_TOKEN, estimateTokens } from './budget.ts';
import { charactersOf, clipped, historyWithin, inWords } from './history.ts';
import type { LiveTurn } from './live-turn.ts';
import { maskedArguments } from './masking/mask.ts';
import { createDataWrapper, type DataWrapper, questionText, systemPrompt } from './prompt.ts';
import type { OpenMessage } from './sealed-messages.ts';
import type { AgentTools } from './tool.ts';
import type { Usage } from './transcript.ts';

const MOST_CALLS = 8; // that the model may ask for at once
const MOST_RESULT = 20_000; // characters
const MOST_AUDITED = 1000; // characters of arguments
const MOST_OUTPUT_TOKENS = 4096; // of one step; some models refuse to be allowed more
const LEAST_OUTPUT_TOKENS = 64;
const MOST_HISTORY_TOKENS = 16_000;

export interface Asked {
  readonly caller: Caller;
  readonly question: AgentQuestion;
  /** Earlier messages of the chat, oldest first. */
  readonly earlier: readonly OpenMessage[];
  readonly limits: AgentLimits;
}

/** Steps of a turn, until the model answers in words. Throws when the turn fails; stops with the turn's signal. */
export type Dialogue = (turn: LiveTurn, asked: Asked) => Promise<void>;

interface Deps {
  readonly models: Pick<LanguageModels, 'stream'>;
  readonly tools: AgentTools;
  readonly admission: Pick<AgentAdmission, 'admitAgain'>;
  readonly budget: AgentBudget;
  readonly trail: Pick<AuditTrail, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createDialogue(deps: Deps): Dialogue {
  const { admission, budget, tools, clock } = deps;
  const ask = createAsking(deps);
  const callAll = createCalling(deps);

  return async (turn, { caller, question, earlier, limits }) => {
    const { transcript, signal, server_id } = turn;
    const wrapper = createDataWrapper();
    const past = historyWithin(earlier, wrapper, Math.min(MOST_HISTORY_TOKENS, limits.tokens_per_turn / 4));
    const messages: ModelMessage[] = [...past, { role: 'user', text: questionText(question, wrapper) }];
    for (let step = 1; ; step += 1) {
      signal.throwIfAborted();
      const admitted = await admission.admitAgain(caller, server_id);
      await budget.assertLeft(caller.user_id, admitted.limits);
      const setting = { server_name: admitted.server.name, mark: wrapper.mark, now: clock.now() };
      const request = planned({
        setting,
        messages,
        offered: step < limits.steps ? tools.offered(admitted.server) : [],
        left: limits.tokens_per_turn - tokensOf(transcript.state().usage),
      });
      const calls = await ask(turn, admitted, { ...request, signal });
      const text = transcript.roundText();
      if (calls.length === 0 || request.tools.length === 0) return assertAnswered(text, calls);
      messages.push({ role: 'assistant', text, calls: calls.map(withArguments) });
      messages.push(...(await callAll(turn, admitted.caller, { calls, wrapper })));
    }
  };
}

/** Streams one step of the model into the transcript, and charges it. Returns the calls it asks for. */
function createAsking({ models, budget }: Pick<Deps, 'models' | 'budget'>) {
  return async (
    turn: LiveTurn,
    { caller, address }: Admitted,
    request: ModelRequest,
  ): Promise<ToolCall[]> => {
    const { transcript } = turn;
    const calls: ToolCall[] = [];
    const counted = { input_tokens: 0, output_tokens: 0 };
    let is_charged = true;
    transcript.beginRound();
    try {
      for await (const event of models.stream(address, request)) {
        request.signal.throwIfAborted();
        if (event.kind === 'text') transcript.say(event.delta);
        else if (event.kind === 'tool_call') calls.push(event.call);
        else {
          counted.input_tokens += countOf(event.input_tokens);
          counted.output_tokens += countOf(event.output_tokens);
        }
      }
      return calls;
    } catch (error) {
      is_charged = !(error instanceof ModelFailed && error.is_refusal);
      throw error;
    } finally {
      const said = transcript.roundText().length + JSON.stringify(calls).length;
      const usage = plausible(counted, estimated(request, said));
      if (is_charged) {
        transcript.count(usage);
        await budget.charge(caller.user_id, tokensOf(usage));
      }
    }
  };
}

interface Called {
  readonly calls: readonly ToolCall[];
  readonly wrapper: DataWrapper;
}

/** Runs the calls of one step in order. Every call gets a result, as providers demand. */
function createCalling({ admission, tools, trail }: Pick<Deps, 'admission' | 'tools' | 'trail'>) {
  async function run(turn: LiveTurn, caller: Caller, call: ToolCall): Promise<string> {
    const { transcript, signal, server_id } = turn;
    const admitted = await admission.admitAgain(caller, server_id);
    const shown = maskedArguments(call.arguments ?? {}); // the model may repeat a secret
    const step = transcript.beginStep({ ...call, arguments: shown });
    const detail = `${serverLabel(admitted.server)}: ${clipped(call.tool, MOST_CALLED)} ${clipped(JSON.stringify(shown), MOST_AUDITED)}`;
    const agent: Caller = { ...admitted.caller, via: 'agent' };
    await trail.record(agent, 'agent_tool', detail, { retry: false });
    signal.throwIfAborted();
    const work = tools.call({ caller: agent, server_id, signal }, call.tool, call.arguments);
    const outcome = await untilAborted(signal, work);
    const text = clipped(outcome.text, MOST_RESULT) || '(no output)';
    transcript.endStep(step, { ...outcome, text });
    return text;
  }

  return async (turn: LiveTurn, caller: Caller, { calls, wrapper }: Called): Promise<ModelMessage[]> => {
    const results: ModelMessage[] = [];
    for (const [index, call] of calls.entries()) {
      const text = index < MOST_CALLS ? await run(turn, caller, call) : TOO_MANY;
      results.push({ role: 'tool', call: withArguments(call), text: wrapper.wrap(call.tool, text) });
    }
    return results;
  };
}

const MOST_CALLED = 64; // characters of a tool's name
const TOO_MANY = `Not run: at most ${MOST_CALLS} calls at a time.`;

interface Plan {
  readonly setting: Omit<Parameters<typeof systemPrompt>[0], 'has_tools'>;
  readonly messages: readonly ModelMessage[];
  /** None in the last step. */
  readonly offered: readonly ModelTool[];
  /** Tokens left for this turn. */
  readonly left: number;
}

/** The next request, without tools when the tokens that are left would not pay for another one. */
function planned({ setting, messages, offered, left }: Plan): Omit<ModelRequest, 'signal'> {
  const withTools = (tools: readonly ModelTool[]) => {
    const system = systemPrompt({ ...setting, has_tools: tools.length > 0 });
    const told = tools.length > 0 ? messages : inWords(messages);
    return { system, messages: told, tools, max_output_tokens: MOST_OUTPUT_TOKENS };
  };
  const full = withTools(offered);
  const pays = (times: number, request: typeof full) => left - times * inputTokens(request);
  if (pays(2, full) >= MOST_OUTPUT_TOKENS) return full;
  const last = withTools([]);
  const output = pays(1, last);
  if (output < LEAST_OUTPUT_TOKENS) throw new Fault('agent_limit', 'The answer has used up its tokens');
  return { ...last, max_output_tokens: Math.min(MOST_OUTPUT_TOKENS, output) };
}

function assertAnswered(text: string, calls: readonly ToolCall[]): void {
  if (text.trim() !== '') return;
  if (calls.length > 0) throw new Fault('agent_limit', 'The model did not answer within its steps');
  throw new ModelFailed('The model gave an empty answer');
}

function inputTokens({ system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>) {
  return estimateTokens(system.length + charactersOf(messages) + JSON.stringify(tools).length);
}

function estimated(request: ModelRequest, said: number): Usage {
  return { input_tokens: inputTokens(request), output_tokens: estimateTokens(said) };
}

function tokensOf(usage: Usage | null): number {
  return usage ? usage.input_tokens + usage.output_tokens : 0;
}

const CHARACTER_TOKENS = 4; // a character has at most four bytes
const TEMPLATE_TOKENS = 32_768; // what a provider may add to each request
const HIDDEN_TOKENS = 131_072; // of thoughts that a provider counts and does not send

/** What the provider counted; where it counted nothing, or more than there can be, an estimate: one answer must not use up the day. */
function plausible(counted: Usage, guessed: Usage): Usage {
  if (tokensOf(counted) === 0) return guessed;
  const factor = CHARACTER_TOKENS * CHARACTERS_PER_TOKEN;
  const within = (tokens: number, guess: number, more: number) =>
    tokens <= guess * factor + more ? tokens : guess;
  return {
    input_tokens: within(counted.input_tokens, guessed.input_tokens, TEMPLATE_TOKENS),
    output_tokens: within(counted.output_tokens, guessed.output_tokens, HIDDEN_TOKENS),
  };
}

/** Providers are not trusted to count. */
function countOf(tokens: number): number {
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

function withArguments(call: ToolCall): ToolCall {
  return { ...call, arguments: call.arguments ?? {} };
}
