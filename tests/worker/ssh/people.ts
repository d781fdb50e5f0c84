import type { Ask, Question } from '#core/ports/ssh.ts';

/** Somebody who answers from a list, and the questions they were asked. */
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

/** Somebody who thinks until told to answer. */
export interface Thinker extends Person {
  /** Resolves once they have been asked. */
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
