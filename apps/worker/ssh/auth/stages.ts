import { authFault, interactionFault } from '../faults.ts';
import { createKeyOffers, type KeyOffers, offerKey } from './key.ts';
import type { Login, NextMethod } from './login.ts';
import { nameMethods } from './method-names.ts';
import { type OneUse, storedPassword, typedPassword } from './one-use.ts';
import { createSteps } from './steps.ts';
import { askCredentials } from './typed-credentials.ts';

/** What a login offers first, and after each partial success (RFC 4252 §5.1). */
export interface Stages {
  declared(): NextMethod;
  further(username: string): NextMethod;
}

/** Everything that is stored, or typed at connect, is sent once per login at most. */
export function createStages(login: Login): Stages {
  const { auth, username } = login.attempt.hop;
  const password = auth.method === 'prompt' ? undefined : storedPassword(auth.password ?? '');
  const key = keyOf(login);
  return {
    declared() {
      if (key && auth.method === 'key') return offerKey(key);
      if (password && auth.method === 'password') return offerPassword(login, username, password);
      return offerTyped(login);
    },
    further: (username) =>
      offerFurther(login, {
        username,
        password: password ?? storedPassword(''),
        key: key?.isUsed() ? undefined : key,
      }),
  };
}

function keyOf(login: Login): KeyOffers | undefined {
  const { auth, username } = login.attempt.hop;
  if (auth.method === 'key') return createKeyOffers(login, username, auth);
  if (auth.method === 'password' && auth.key) return createKeyOffers(login, username, auth.key);
  return undefined;
}

/** Tries `none` first, as OpenSSH does, to learn whether the host takes passwords directly or by prompt. */
function offerPassword(login: Login, username: string, password: OneUse): NextMethod {
  const is_stored = password.isLeft();
  const missing = () => authFault(login.attempt, `wants a password for user ${username}, but none is stored`);
  const steps = createSteps(login, {
    username,
    password,
    can_type: false,
    unanswerable: () => 'asks for more than a password',
    unfit: (methods_left) => (is_stored ? noPassword(login, methods_left) : missing()),
  });
  return withNone(username, (methods_left) => {
    if (!is_stored && !login.ask) throw missing();
    return steps(methods_left);
  });
}

/** Asks for the username and password; after a refusal only for the password, since hosts reject a changed name. */
function offerTyped(login: Login): NextMethod {
  let next: NextMethod | undefined;
  return async (methods_left) => {
    if (!next) {
      const { username, password } = await askCredentials(login);
      const steps = createSteps(login, {
        username,
        password: typedPassword(password),
        can_type: true,
        unanswerable: () => 'asks for more than a password',
        unfit: (left) => noPassword(login, left),
      });
      next = withNone(username, steps);
    }
    return next(methods_left);
  };
}

function withNone(username: string, steps: NextMethod): NextMethod {
  let is_first = true;
  return (methods_left) => {
    if (!is_first) return steps(methods_left);
    is_first = false;
    return { type: 'none', username };
  };
}

interface Spare {
  readonly username: string;
  readonly key: KeyOffers | undefined;
  readonly password: OneUse;
}

/** What a host wants in addition to the configured method, once that is accepted. */
function offerFurther(login: Login, { username, key, password }: Spare): NextMethod {
  const { attempt, ask } = login;
  const wanted = (methods_left: readonly string[]) => {
    const accepted = attempt.hop.auth.method === 'key' ? 'the key' : 'the password';
    const names = nameMethods(attempt, methods_left);
    return `accepted ${accepted} of user ${username} but requires another authentication step (${names})`;
  };
  return createSteps(login, {
    username,
    password,
    key,
    can_type: true,
    unanswerable: wanted,
    unfit(methods_left) {
      const is_for_person = !ask && BY_PERSON.some((method) => methods_left.includes(method));
      const fault = is_for_person ? interactionFault : authFault;
      return fault(attempt, wanted(methods_left));
    },
  });
}

const BY_PERSON = ['keyboard-interactive', 'password'] as const;

function noPassword({ attempt }: Login, methods_left: readonly string[]) {
  const offered = nameMethods(attempt, methods_left) || 'nothing';
  return authFault(attempt, `does not accept passwords (it offers ${offered})`);
}
