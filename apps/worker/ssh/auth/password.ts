import type { AnyAuthMethod } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import { authFault } from '../faults.ts';
import { keyboardInteractive } from './keyboard-interactive.ts';
import type { Login, NextMethod } from './login.ts';
import { nameMethods } from './method-names.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Tries `none` first, as OpenSSH does, to learn whether the host takes passwords directly or by prompt. */
export function offerPassword(login: Login, credentials: Credentials): NextMethod {
  const { username } = credentials;
  let step: 'learn' | 'offer' | 'offered' = 'learn';
  return (methods_left) => {
    if (step === 'offered') throw passwordRefused(login, username);
    step = step === 'learn' ? 'offer' : 'offered';
    if (step === 'offer') return { type: 'none', username };
    if (credentials.password === '') return withoutPassword(login, username, methods_left);
    return passwordMethod(login, credentials, methods_left);
  };
}

/** No password is stored, and sending an empty one would be a guess. */
function withoutPassword(login: Login, username: string, methods_left: readonly string[]): AnyAuthMethod {
  if (login.ask && methods_left.includes('keyboard-interactive')) return keyboardInteractive(login, username);
  throw authFault(login.attempt, `wants a password for user ${username}, but none is stored`);
}

/** The password method if the host offers it, else keyboard-interactive. */
export function passwordMethod(
  login: Login,
  { username, password }: Credentials,
  methods_left: readonly string[],
): AnyAuthMethod {
  if (methods_left.includes('password')) return { type: 'password', username, password };
  if (methods_left.includes('keyboard-interactive')) return keyboardInteractive(login, username, password);
  const offered = nameMethods(login.attempt, methods_left) || 'nothing';
  throw authFault(login.attempt, `does not accept passwords (it offers ${offered})`);
}

export function passwordRefused({ attempt }: Login, username: string): Fault {
  return authFault(attempt, `refused the password of user ${username}`);
}
