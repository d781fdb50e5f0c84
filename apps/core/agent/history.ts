import type { ModelMessage } from '../ports/agent.ts';
import { estimateTokens } from './budget.ts';
import { type DataWrapper, questionText } from './prompt.ts';
import type { OpenMessage, Round } from './sealed-messages.ts';

const MOST_RESULT = 1500; // characters of each result that later turns see
const MOST_RESULTS = 24_000; // of all results of a turn
const UNANSWERED = '(This answer was interrupted.)';

interface PastTurn {
  readonly question: OpenMessage;
  readonly answer: OpenMessage;
}

/** Earlier turns for the model, within a budget: the newest that fit, each as a whole. */
export function historyWithin(
  messages: readonly OpenMessage[],
  wrapper: DataWrapper,
  budget_tokens: number,
): ModelMessage[] {
  const kept: ModelMessage[][] = [];
  let left = budget_tokens;
  for (const turn of turnsOf(messages).reverse()) {
    const told = toMessages(turn, wrapper);
    left -= estimateTokens(charactersOf(told));
    if (left < 0) break;
    kept.push(told);
  }
  return kept.reverse().flat();
}

/** What later turns need of this one: short results, those of the last calls first. */
export function remembered(rounds: readonly Round[]): Round[] {
  let left = MOST_RESULTS;
  const newest_first = rounds.toReversed().map(({ text, calls }) => {
    const short = calls.map((call) => ({ ...call, result: clipped(call.result, MOST_RESULT) }));
    left -= short.reduce((sum, call) => sum + charactersIn(call), 0);
    return { text, calls: left < 0 ? [] : short };
  });
  return newest_first.reverse();
}

export function charactersOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? JSON.stringify(message.calls).length : 0;
    return sum + message.text.length + calls;
  }, 0);
}

/** One round as the model has to see it: every call is followed by its result. */
export function roundMessages({ text, calls }: Round, { wrap }: DataWrapper): ModelMessage[] {
  const made = calls.map(({ result: _, ...call }) => call);
  return [
    { role: 'assistant', text, calls: made },
    ...calls.map(({ result, ...call }) => ({ role: 'tool' as const, call, text: wrap(call.tool, result) })),
  ];
}

/** The same without calls: some providers refuse calls in a request that offers no tools. */
export function inWords(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    if (message.role === 'tool')
      return { role: 'user', text: `This is what the tool returned:\n${message.text}` };
    if (message.role === 'user' || message.calls.length === 0) return message;
    const used = message.calls.map(({ tool, arguments: args }) => `I used ${tool} ${JSON.stringify(args)}.`);
    return { role: 'assistant', text: [message.text, ...used].filter(Boolean).join('\n\n'), calls: [] };
  });
}

export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (cut)`;
}

/** A question and the answer that follows it. */
function turnsOf(messages: readonly OpenMessage[]): PastTurn[] {
  return messages.flatMap((answer, index) => {
    const question = messages[index - 1];
    return question?.row.role === 'user' && answer.row.role === 'assistant' ? [{ question, answer }] : [];
  });
}

function toMessages({ question, answer }: PastTurn, wrapper: DataWrapper): ModelMessage[] {
  const { text, context } = question.content;
  const rounds = answer.content.rounds.filter((round) => round.text !== '' || round.calls.length > 0);
  const told = rounds.flatMap((round) => roundMessages(round, wrapper));
  const is_answered = rounds.at(-1)?.calls.length === 0;
  return [
    { role: 'user', text: questionText({ message: text, context }, wrapper) },
    ...told,
    ...(is_answered ? [] : [{ role: 'assistant' as const, text: UNANSWERED, calls: [] }]),
  ];
}

function charactersIn(call: Round['calls'][number]): number {
  return JSON.stringify(call).length;
}
