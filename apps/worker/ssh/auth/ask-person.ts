import { printableLines } from '#core/lib/text/printable.ts';
import { abortable } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Ask, Question } from '#core/ports/ssh.ts';
import { type Attempt, forwardAbort } from '../attempt.ts';

const ANSWER_MS = 5 * 60_000;
const MAX_INSTRUCTIONS_BYTES = 4096;
const MAX_PROMPT_BYTES = 1024;

/** Asks a person what the hop wants to know; rejects when the host is gone or the person takes too long. */
export type AskPerson = (question: Omit<Question, 'name'>) => Promise<string[]>;

export interface AskPersonOptions {
  readonly attempt: Attempt;
  readonly clock: Clock;
  /** Aborts when an answer is no longer needed. */
  readonly over: AbortSignal;
}

/** Pauses the deadline of the attempt while the person answers. */
export function createAskPerson(ask: Ask, { attempt, clock, over }: AskPersonOptions): AskPerson {
  const tooLate = () =>
    attempt.fault(
      'connect_timeout',
      `Nobody answered ${attempt.hop.name} within ${ANSWER_MS / 60_000} minutes`,
    );
  return async (asked) => {
    const abort = new AbortController();
    const unfollow = forwardAbort(over, abort);
    const cancel = clock.after(ANSWER_MS, () => abort.abort(tooLate()));
    const resume = attempt.hold();
    try {
      const question = toQuestion(attempt.hop.name, asked);
      const answers = await abortable<readonly string[]>(abort.signal, (resolve, reject) => {
        ask(question, abort.signal).then(resolve, reject);
        return () => {};
      });
      return question.prompts.map((_, index) => answers[index] ?? '');
    } finally {
      resume();
      cancel();
      unfollow();
    }
  };
}

/** Removes control characters from text sent by the host (RFC 4256 §3.2). */
function toQuestion(name: string, { instructions, is_ours, prompts }: Omit<Question, 'name'>): Question {
  return {
    name,
    instructions: printableLines(instructions, MAX_INSTRUCTIONS_BYTES).trim(),
    is_ours,
    prompts: prompts.map((prompt) => ({
      ...prompt,
      text: printableLines(prompt.text, MAX_PROMPT_BYTES).trim(),
    })),
  };
}
