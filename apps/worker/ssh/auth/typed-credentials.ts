import type { AnyAuthMethod } from 'ssh2';
import { authFault, interactionFault } from '../faults.ts';
import type { AskPerson } from './ask-person.ts';
import { keyboardInteractive } from './keyboard-interactive.ts';
import type { Login, NextMethod } from './login.ts';
import { nameMethods } from './method-names.ts';
import { type Credentials, passwordMethod, passwordRefused } from './password.ts';

const MAX_TRIES = 3; // as in OpenSSH's client

const PASSWORD = { text: 'Password', echo: false };

/** Asks for the username and password; after a refusal only for the password, since hosts reject a changed name. */
export function askCredentials(login: Login): NextMethod {
  const { attempt } = login;
  let username: string | undefined;
  let password: string | undefined;
  let tries = 0;
  return async (methods_left) => {
    const ask = login.ask ?? failWithoutPerson(login);
    if (username === undefined) {
      ({ username, password } = await askUsernameAndPassword(login, ask));
      return { type: 'none', username };
    }
    if (tries === MAX_TRIES) throw passwordRefused(login, username);
    tries += 1;
    const said = `${attempt.hop.name} refused the password of user ${username}. Try again.`;
    password ??= await askPassword(ask, said);
    const method = passwordMethod(login, { username, password }, methods_left);
    password = undefined;
    return method;
  };
}

function failWithoutPerson({ attempt }: Login): never {
  throw attempt.fault(
    'credentials_required',
    `${attempt.hop.name} stores no password: enter its username and password to connect`,
  );
}

async function askUsernameAndPassword({ attempt }: Login, ask: AskPerson): Promise<Credentials> {
  const { name, username, quick_user_id } = attempt.hop;
  // Quick connect already has the username, and its name is its address.
  if (quick_user_id !== undefined)
    return { username, password: await askPassword(ask, `Sign in to ${name}`) };
  const [typed = '', password = ''] = await ask({
    instructions: `Sign in to ${name} (${attempt.address})`,
    is_ours: true,
    prompts: [{ text: 'Username', echo: true, value: username }, PASSWORD],
  });
  return { username: typed.trim() || username, password };
}

async function askPassword(ask: AskPerson, instructions: string): Promise<string> {
  const [password = ''] = await ask({ instructions, is_ours: true, prompts: [PASSWORD] });
  return password;
}

/** What a host wants in addition to the configured method, once that is accepted. */
export function additionalFactor(login: Login, username: string): NextMethod {
  const { attempt, ask } = login;
  let tries = 0;
  return async (methods_left): Promise<AnyAuthMethod> => {
    const kind = ADDITIONAL_METHODS.find((method) => methods_left.includes(method));
    if (!kind) throw authFault(attempt, factorRequest(login, username, methods_left));
    if (!ask) throw interactionFault(attempt, factorRequest(login, username, methods_left));
    if (tries === MAX_TRIES) throw authFault(attempt, `refused the answers of user ${username}`);
    tries += 1;
    if (kind === 'keyboard-interactive') return keyboardInteractive(login, username);
    const said = tries === 1 ? 'asks for the password' : 'refused the password';
    const password = await askPassword(ask, `${attempt.hop.name} ${said} of user ${username}.`);
    return { type: 'password', username, password };
  };
}

const ADDITIONAL_METHODS = ['keyboard-interactive', 'password'] as const;

function factorRequest({ attempt }: Login, username: string, methods_left: readonly string[]): string {
  const accepted = attempt.hop.auth.method === 'key' ? 'the key' : 'the password';
  return `accepted ${accepted} of user ${username} but requires another authentication step (${nameMethods(attempt, methods_left)})`;
}
