import { Fault } from '../errors.ts';
import type { AgentMessage, AgentMessageState, AgentStep } from '../model/agent.ts';
import type { ToolCall } from '../ports/agent.ts';
import { clipped, remembered } from './history.ts';
import type { MessageContent, Round } from './sealed-messages.ts';

const MOST_TEXT = 100_000; // characters of an answer
const MOST_ARGUMENTS = 2000; // characters of JSON
const MOST_NAME = 64;
const MOST_SUMMARY = 300;

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** What a client may see of an answer. */
export interface AnswerState extends Pick<AgentMessage, 'steps' | 'state' | 'error'> {
  readonly text: string;
  readonly usage: Usage | null;
}

/** An answer while it is being written. */
export interface Transcript {
  /** Throws `agent_limit` when the answer is too long. */
  say(delta: string): void;
  /** The text and the calls that follow belong together. */
  beginRound(): void;
  /** What the model has said in this round. */
  roundText(): string;
  /** Returns the id of the step. */
  beginStep(call: ToolCall): string;
  /** Text for the model, and one line for people. */
  endStep(
    id: string,
    outcome: { readonly ok: boolean; readonly text: string; readonly summary: string },
  ): void;
  /** Adds to what this turn has used. */
  count(usage: Usage): void;
  /** Nothing is added any more. */
  close(error: AgentMessage['error']): void;
  /** The end is stored: clients may learn of it. */
  settle(state: AgentMessageState): void;
  state(): AnswerState;
  content(): MessageContent;
}

/** `changed` is called after each change. */
export function createTranscript(changed: () => void): Transcript {
  const steps: AgentStep[] = [];
  const rounds: { text: string; calls: Round['calls'] }[] = [];
  let text = '';
  let usage: Usage | null = null;
  let state: AgentMessageState = 'running';
  let error: AgentMessage['error'] = null;
  const current = () => rounds.at(-1) ?? { text: '', calls: [] };

  return {
    say(delta) {
      if (text.length + delta.length > MOST_TEXT) throw new Fault('agent_limit', 'The answer is too long');
      const round = current();
      if (round.text === '' && text !== '' && delta !== '') text += '\n\n';
      round.text += delta;
      text += delta;
      changed();
    },

    beginRound() {
      rounds.push({ text: '', calls: [] });
    },

    roundText: () => current().text,

    beginStep({ tool, arguments: given = {}, ...call }) {
      const id = String(steps.length + 1); // those of the model may repeat
      const named = { tool: clipped(tool, MOST_NAME), arguments: shortArguments(given) };
      steps.push({ id, ...named, ok: null, summary: '' });
      current().calls.push({ ...call, ...named, result: '' });
      changed();
      return id;
    },

    endStep(id, { ok, text: result, summary }) {
      const index = Number(id) - 1;
      const step = steps[index];
      if (step) steps[index] = { ...step, ok, summary: clipped(summary, MOST_SUMMARY) };
      const last = current().calls.at(-1);
      if (last) last.result = result;
      changed();
    },

    count(more) {
      const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
      usage = {
        input_tokens: input_tokens + more.input_tokens,
        output_tokens: output_tokens + more.output_tokens,
      };
      changed();
    },

    close(why) {
      for (const [index, step] of steps.entries()) {
        if (step.ok === null) steps[index] = { ...step, ok: false, summary: 'Not finished' };
      }
      error = why;
    },

    settle(ended) {
      state = ended;
      changed();
    },

    state: () => ({ text, steps, usage, state, error }),
    content: () => ({ text, context: '', steps: [...steps], rounds: remembered(rounds), usage, error }),
  };
}

function shortArguments(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json = JSON.stringify(given);
  return json.length <= MOST_ARGUMENTS ? { ...given } : { cut: clipped(json, MOST_ARGUMENTS) };
}
