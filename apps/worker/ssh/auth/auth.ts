import type { AnyAuthMethod, AuthHandlerMiddleware } from 'ssh2';
import { toFault } from '#core/errors.ts';
import { type StageNote, stageNote } from '#core/model/connection-test.ts';
import { authFault } from '../faults.ts';
import { offerKey } from './key.ts';
import type { Login, NextMethod } from './login.ts';
import { offerPassword } from './password.ts';
import { additionalFactor, askCredentials } from './typed-credentials.ts';

const MAX_STEPS = 16; // per login, partial successes included

export interface Auth {
  readonly handler: AuthHandlerMiddleware;
  /** Whether anything was sent about the user. */
  offered(): boolean;
  /** Who was accepted and how, for the connection test. */
  accepted(): StageNote;
}

/**
 * Offers only the configured method; any refusal ends the attempt with a Fault. ssh2 first asks after the key exchange,
 * and `proved` runs before anything about the user is sent.
 */
export function createAuth(login: Login, proved: () => Promise<void>): Auth {
  const { hop } = login.attempt;
  let username = hop.username;
  let nextMethod = declaredMethod(login);
  let offered: AnyAuthMethod['type'] | undefined;
  let is_choosing = false;
  let steps = 0;
  async function choose(methods_left: readonly string[], partial_success: boolean): Promise<AnyAuthMethod> {
    await proved();
    if (partial_success) nextMethod = additionalFactor(login, username);
    const method = await nextMethod(methods_left);
    username = method.username;
    return method;
  }
  function offer(method: AnyAuthMethod, next: (method: AnyAuthMethod) => void): void {
    is_choosing = false;
    if (login.over.aborted) return;
    offered = method.type;
    if (offered !== 'none') login.attempt.offer();
    next(method);
  }
  return {
    handler(methods_left, partial_success, next) {
      steps += 1;
      // ssh2 passes on replies to requests never sent; each would cause another choice and another prompt.
      if (is_choosing || steps > MAX_STEPS) {
        return login.fail(authFault(login.attempt, 'sent more authentication replies than requests'));
      }
      is_choosing = true;
      choose(methods_left ?? [], partial_success === true)
        .then((method) => offer(method, next))
        .catch((error) => login.fail(toFault(error)));
    },
    offered: () => offered !== undefined,
    accepted: () =>
      offered === 'none'
        ? stageNote('accepted_without', { username })
        : stageNote('accepted', { username, method: hop.auth.method }),
  };
}

function declaredMethod(login: Login): NextMethod {
  const { auth, username } = login.attempt.hop;
  switch (auth.method) {
    case 'key':
      return offerKey(login, auth);
    case 'password':
      return offerPassword(login, { username, password: auth.password });
    case 'prompt':
      return askCredentials(login);
  }
}
