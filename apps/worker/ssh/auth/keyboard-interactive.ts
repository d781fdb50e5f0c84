import type { KeyboardInteractiveAuthMethod, Prompt } from 'ssh2';
import { toFault } from '#core/errors.ts';
import { authFault, interactionFault } from '../faults.ts';
import type { Login } from './login.ts';
import type { OneUse } from './one-use.ts';
import { asksForPassword } from './password-prompt.ts';

const MAX_PROMPTS = 16;
const MAX_ROUNDS = 32;

/** One attempt at keyboard-interactive (RFC 4256), of any number of rounds. */
export interface Dialogue {
  readonly method: KeyboardInteractiveAuthMethod;
  /** Who has answered so far; `password` when the password was the only answer. */
  answeredBy(): 'nobody' | 'password' | 'person';
}

export interface DialogueOptions {
  readonly username: string;
  readonly password: OneUse;
  /** Follows the address when there is nobody to ask. */
  readonly unanswerable: string;
}

/**
 * The password answers, once, a round that asks for it and for nothing else; every other round goes to a person. ssh2 itself
 * answers rounds without prompts.
 */
export function startDialogue(login: Login, { username, password, unanswerable }: DialogueOptions): Dialogue {
  let rounds = 0;
  let answered_by: ReturnType<Dialogue['answeredBy']> = 'nobody';

  async function answer({ title, instructions, prompts }: Round): Promise<string[]> {
    rounds += 1;
    if (rounds > MAX_ROUNDS || prompts.length > MAX_PROMPTS) {
      throw authFault(login.attempt, 'asks more questions than a person could answer');
    }
    const about = [title, instructions].filter(Boolean).join('\n');
    if (password.isLeft() && isForPassword(login, username, { about, prompts })) {
      if (answered_by === 'nobody') answered_by = 'password';
      return [password.take()];
    }
    if (!login.ask) throw interactionFault(login.attempt, unanswerable);
    answered_by = 'person';
    return login.ask({
      instructions: about,
      is_ours: false,
      prompts: prompts.map(({ prompt, echo }) => ({ text: prompt, echo: echo === true })),
    });
  }

  return {
    method: {
      type: 'keyboard-interactive',
      username,
      prompt(title, instructions, _language, prompts, finish) {
        answer({ title, instructions, prompts })
          .then((answers) => login.over.aborted || finish(answers))
          .catch((error) => login.fail(toFault(error)));
      },
    },
    answeredBy: () => answered_by,
  };
}

interface Round {
  readonly title: string;
  readonly instructions: string;
  readonly prompts: readonly Prompt[];
}

function isForPassword(
  { attempt }: Login,
  username: string,
  { about, prompts }: Pick<Round, 'prompts'> & { readonly about: string },
): boolean {
  const [only, ...others] = prompts;
  if (!only || others.length > 0 || only.echo === true) return false;
  const names = [username, attempt.hop.hostname, attempt.hop.name];
  return asksForPassword({ prompt: only.prompt, about, names });
}
