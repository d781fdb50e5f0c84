import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { createKeyedLimiter } from '../lib/concurrency/limiter.ts';
import type { Caller } from '../model/accounts/caller.ts';
import { type Login, type LoginResult, toUsernameKey, type UserRow } from '../model/accounts/user.ts';
import { assertMay } from '../policy/account.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { needsSecondFactor, type PasswordProof } from './proofs/proof.ts';
import type { SecondProof, SignInProofs } from './proofs/sign-in-proofs.ts';
import type { Origin, WebSessions } from './web-sessions.ts';

// Attempts count before they are checked: too many correct ones in parallel would lock the name.
const AT_ONCE = 2; // per name and instance: with four instances, still fewer than the failures that lock

/** Exchanges a username and password for a token. */
export interface SignIn {
  login(input: Login, origin: Origin): Promise<LoginResult>;
  /** Completes a sign-in that is waiting for its second factor. */
  complete(caller: Caller, code: string, origin: Origin): Promise<LoginResult>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users' | 'pending_sign_ins'>;
  readonly proofs: SignInProofs;
  readonly web_sessions: WebSessions;
  readonly trail: AuditTrail;
  readonly meter: Pick<Meter, 'add'>;
  readonly clock: Clock;
}

export function createSignIn(deps: Deps): SignIn {
  const { repositories, proofs, web_sessions, clock } = deps;
  const { users, pending_sign_ins } = repositories;
  const limited = createKeyedLimiter(AT_ONCE);
  const admit = createAdmission(deps);

  /** Revokes the pending sign-in if the password was reset while the old one was being checked. */
  async function assertUnchanged(before: UserRow, undo: () => Promise<unknown>): Promise<void> {
    const now = await users.byId(before.id);
    if (now && !now.disabled && now.password_hash === before.password_hash) return;
    await undo();
    throw new Fault('invalid_credentials');
  }

  async function awaitSecondFactor(user: UserRow): Promise<LoginResult> {
    const { id, token } = await web_sessions.startPending(user);
    await assertUnchanged(user, () => pending_sign_ins.take(id));
    return { access_token: token, token_type: 'bearer', requires_2fa: true };
  }

  /** Counts under the account's own name, whichever name was sent to the directory. */
  function proveAtOnce(user: UserRow, code: string, origin: Origin): Promise<LoginResult> {
    return proofs.counted(user.username, origin, async (attempt) => {
      const proof = await proofs.secondFactor(user, code, origin);
      await attempt.succeeded(user.username);
      return admit(user, origin, proof);
    });
  }

  function loginNow(sent: PasswordProof, origin: Origin): Promise<LoginResult> {
    return proofs.counted(sent.username, origin, async (attempt) => {
      const user = await proofs.check(sent, origin);
      if (!needsSecondFactor(sent, user)) {
        await attempt.succeeded(user.username);
        return admit(user, origin);
      }
      await attempt.undo(); // success is decided in the second step
      const { totp_code } = sent;
      return totp_code === undefined ? awaitSecondFactor(user) : proveAtOnce(user, totp_code, origin);
    });
  }

  return {
    login: (input, origin) =>
      limited(toUsernameKey(input.username), () => loginNow({ kind: 'password', ...input }, origin)),

    async complete(caller, code, origin) {
      assertMay(caller, 'complete_sign_in');
      return proofs.counted(caller.username, origin, async (attempt) => {
        const id = String(caller.credential.id);
        if (!(await pending_sign_ins.try(id, clock.now().toISOString()))) throw new Fault('invalid_token');
        const user = await users.byId(caller.user_id);
        if (!user || user.disabled) throw new Fault('invalid_token');
        const proof = await proofs.secondFactor(user, code, origin);
        if (!(await pending_sign_ins.take(id))) throw new Fault('invalid_token');
        await attempt.succeeded(user.username);
        return admit(user, origin, proof);
      });
    },
  };
}

/** Starts the session of a user who has proved everything, and records it. */
function createAdmission({ web_sessions, trail, meter }: Pick<Deps, 'web_sessions' | 'trail' | 'meter'>) {
  return async (user: UserRow, origin: Origin, proof?: SecondProof): Promise<LoginResult> => {
    const { token } = await web_sessions.start(user, origin);
    const { ip_address, via } = origin;
    const actor = { user_id: user.id, username: user.username, ip_address, via };
    if (proof === 'recovery_code') await trail.record(actor, 'recovery_code_use', '');
    await trail.record(actor, 'login', proof ? `${user.source}, with a second factor` : user.source, {
      event: {
        event: 'user_login',
        data: { username: user.username, user_id: user.id, ip: ip_address },
      },
    });
    meter.add('logins');
    return { access_token: token, token_type: 'bearer', requires_2fa: false };
  };
}
