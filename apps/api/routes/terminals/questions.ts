import { createLimiter } from '#core/lib/limiter.ts';
import type { Ask } from '#core/terminals/opening.ts';
import type { GatewayFrame } from '../../contract/terminals/frames.ts';

/** What hosts want to know, put to the person at one terminal; one question at a time. */
export interface Questions {
  readonly ask: Ask;
  /** False when there are not as many answers as there were prompts; answers that nobody waits for are passed over. */
  answer(answers: readonly string[]): boolean;
}

interface Waiting {
  readonly count: number;
  resolve(answers: readonly string[]): void;
}

export function createQuestions(send: (frame: GatewayFrame) => void): Questions {
  const oneAtATime = createLimiter(1);
  let waiting: Waiting | undefined;

  const put: Questions['ask'] = ({ name, instructions, prompts }, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const giveUp = () => {
        waiting = undefined;
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting = {
        count: prompts.length,
        resolve(answers) {
          signal.removeEventListener('abort', giveUp);
          resolve(answers);
        },
      };
      send({ type: 'prompt', name, instructions, prompts: [...prompts] });
    });

  return {
    // What is typed for one must never be the answer to another.
    ask: (question, signal) => oneAtATime(() => put(question, signal)),

    answer(answers) {
      if (!waiting) return true;
      if (answers.length !== waiting.count) return false;
      const { resolve } = waiting;
      waiting = undefined;
      resolve(answers);
      return true;
    },
  };
}
