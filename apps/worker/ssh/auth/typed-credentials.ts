import type { AskPerson } from './ask-person.ts';
import type { Login } from './login.ts';

const PASSWORD = { text: 'Password', echo: false };

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export async function askCredentials(login: Login): Promise<Credentials> {
  const { attempt } = login;
  const ask = login.ask ?? failWithoutPerson(login);
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

function failWithoutPerson({ attempt }: Login): never {
  throw attempt.fault(
    'credentials_required',
    `${attempt.hop.name} stores no password: enter its username and password to connect`,
  );
}

export async function askPassword(ask: AskPerson, instructions: string): Promise<string> {
  const [password = ''] = await ask({ instructions, is_ours: true, prompts: [PASSWORD] });
  return password;
}
