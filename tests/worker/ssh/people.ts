import type { Ask, Question } from '#core/ports/ssh.ts';

/** A person who answers from a list, and the prompts they got. */
export interface Person {
  readonly ask: Ask;
  readonly asked: Question[];
}

export function answering(...answers: readonly string[][]): Person {
  const asked: Question[] = [];
  return {
    asked,
    async ask(question) {
      const answer = answers[asked.length];
      asked.push(question);
      if (!answer) throw new Error(`No answer for: ${JSON.stringify(question)}`);
      return answer;
    },
  };
}

/** A person who waits until the test lets them answer. */
export interface Thinker extends Person {
  /** Resolves once they have been prompted. */
  readonly thinking: Promise<AbortSignal>;
  answer(answers: readonly string[]): void;
}

export function thinking(): Thinker {
  const asked: Question[] = [];
  let answer: (answers: readonly string[]) => void = () => {};
  let begin: (signal: AbortSignal) => void = () => {};
  const began = new Promise<AbortSignal>((resolve) => {
    begin = resolve;
  });
  return {
    asked,
    thinking: began,
    answer: (answers) => answer(answers),
    ask: (question, signal) =>
      new Promise((resolve, reject) => {
        asked.push(question);
        answer = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
        begin(signal);
      }),
  };
}
