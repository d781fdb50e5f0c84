import type { KeyboardInteractiveAuthMethod, Prompt } from 'ssh2';
import { toFault } from '#core/errors.ts';
import { authFault, interactionFault } from '../faults.ts';
import type { Login } from './login.ts';

const MAX_PROMPTS = 16;
const MAX_ROUNDS = 32;

/**
 * Answers the host's prompts (RFC 4256). The password answers the first round if that has exactly one hidden prompt;
 * every other round goes to a person. ssh2 itself answers rounds without prompts.
 */
export function keyboardInteractive(
  login: Login,
  username: string,
  password?: string,
): KeyboardInteractiveAuthMethod {
  let rounds = 0;
  async function answer(instructions: string, prompts: readonly Prompt[]): Promise<string[]> {
    rounds += 1;
    if (rounds > MAX_ROUNDS || prompts.length > MAX_PROMPTS) {
      throw authFault(login.attempt, 'asks more questions than a person could answer');
    }
    if (rounds === 1 && password !== undefined && isOneHidden(prompts)) return [password];
    if (!login.ask) {
      throw interactionFault(login.attempt, 'asks for more than a password');
    }
    return login.ask({
      instructions,
      is_ours: false,
      prompts: prompts.map(({ prompt, echo }) => ({ text: prompt, echo: echo === true })),
    });
  }
  return {
    type: 'keyboard-interactive',
    username,
    prompt(name, instructions, _language, prompts, finish) {
      answer([name, instructions].filter(Boolean).join('\n'), prompts)
        .then((answers) => login.over.aborted || finish(answers))
        .catch((error) => login.fail(toFault(error)));
    },
  };
}

function isOneHidden(prompts: readonly Prompt[]): boolean {
  return prompts.length === 1 && prompts[0]?.echo !== true;
}
