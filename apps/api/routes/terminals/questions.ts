import { createLimiter } from '#core/lib/concurrency/limiter.ts';
import type { Ask } from '#core/terminals/opening.ts';
import type { GatewayFrame } from '../../contract/terminals/frames.ts';

/** Sends the host's questions to the client, one at a time. */
export interface Questions {
  readonly ask: Ask;
  /** False when the number of answers does not match the prompts; unexpected answers are ignored. */
  answer(answers: readonly string[]): boolean;
}

interface Waiting {
  readonly count: number;
  resolve(answers: readonly string[]): void;
}

export function createQuestions(send: (frame: GatewayFrame) => void): Questions {
  const oneAtATime = createLimiter(1);
  let waiting: Waiting | undefined;

  const askNow: Questions['ask'] = ({ name, instructions, prompts }, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const cancel = () => {
        waiting = undefined;
        reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      waiting = {
        count: prompts.length,
        resolve(answers) {
          signal.removeEventListener('abort', cancel);
          resolve(answers);
        },
      };
      send({ type: 'prompt', name, instructions, prompts: [...prompts] });
    });

  return {
    // An answer to one question must never answer another.
    ask: (question, signal) => oneAtATime(() => askNow(question, signal)),

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
