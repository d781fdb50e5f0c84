import type { AnyAuthMethod, AuthHandlerMiddleware } from 'ssh2';
import { toFault } from '#core/errors.ts';
import { type StageNote, stageNote } from '#core/model/hosts/connection-test.ts';
import { authFault } from '../faults.ts';
import type { Login } from './login.ts';
import { createStages } from './stages.ts';

const MAX_STEPS = 16; // per login, partial successes included

export interface Auth {
  readonly handler: AuthHandlerMiddleware;
  /** Whether anything was sent about the user. */
  offered(): boolean;
  /** Who was accepted and how, for the connection test. */
  accepted(): StageNote;
}

/**
 * Offers the configured method, then what the host wants in addition; any refusal ends the attempt with a Fault. ssh2 first asks
 * after the key exchange, and `proved` runs before anything about the user is sent.
 */
export function createAuth(login: Login, proved: () => Promise<void>): Auth {
  const { hop } = login.attempt;
  const stages = createStages(login);
  let username = hop.username;
  let nextMethod = stages.declared();
  let offered: AnyAuthMethod['type'] | undefined;
  let is_choosing = false;
  let steps = 0;
  async function choose(methods_left: readonly string[], partial_success: boolean): Promise<AnyAuthMethod> {
    await proved();
    if (partial_success) nextMethod = stages.further(username);
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
