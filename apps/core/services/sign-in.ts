import { Fault, type FaultCode } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import type { Login, LoginResult, UserRow } from '../model/user.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Attempt, Lockouts } from './lockouts.ts';
import type { PasswordCheck } from './password-check.ts';
import type { SecondFactors } from './second-factors.ts';
import type { TerminalRights } from './terminal-rights.ts';
import type { Origin, WebSessions } from './web-sessions.ts';

/** From a name and a password to a token. */
export interface SignIn {
  login(input: Login, origin: Origin): Promise<LoginResult>;
  /** The second step of a sign-in that waits for its second factor. */
  complete(caller: Caller, code: string, origin: Origin): Promise<LoginResult>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users' | 'pending_sign_ins'>;
  readonly passwords: PasswordCheck;
  readonly factors: SecondFactors;
  readonly lockouts: Lockouts;
  readonly web_sessions: WebSessions;
  readonly rights: TerminalRights;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

export function createSignIn(deps: Deps): SignIn {
  const { repositories, passwords, factors, lockouts, web_sessions, rights, trail, clock } = deps;
  const { users, pending_sign_ins } = repositories;

  async function begin(username: string, origin: Origin): Promise<Attempt> {
    try {
      return await lockouts.attempt(username);
    } catch (error) {
      if (isFault(error, 'account_locked')) await failed(username, origin, 'the account is locked');
      throw error;
    }
  }

  /** Counts the work as one attempt; what says nothing about name, password or code is taken back. */
  async function counted<T>(
    username: string,
    origin: Origin,
    work: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const attempt = await begin(username, origin);
    try {
      return await work(attempt);
    } catch (error) {
      const is_wrong = isFault(error, 'invalid_credentials') || isFault(error, 'invalid_2fa_code');
      if (!is_wrong) await attempt.undo();
      throw error;
    }
  }

  async function failed(username: string, { ip_address }: Origin, why: string): Promise<void> {
    const user = await users.byName(username);
    const actor = { user_id: user?.id ?? null, username: user?.username ?? username, ip_address };
    await trail.record(actor, 'login_failed', why);
  }

  async function provePassword({ username, password }: Login, attempt: Attempt, origin: Origin) {
    const { user, refusal, is_wrong } = await passwords.check(username, password);
    if (user) return user;
    if (!is_wrong) await attempt.undo();
    await failed(username, origin, refusal);
    throw new Fault('invalid_credentials');
  }

  async function proveSecondFactor(user: UserRow, code: string, origin: Origin): Promise<SecondProof> {
    const proof = await factors.accept(user.id, code);
    if (proof) return proof;
    await failed(user.username, origin, 'wrong 2FA code');
    throw new Fault('invalid_2fa_code');
  }

  /** A reset that came while the old password was being checked must leave nothing behind that it opened. */
  async function assertUnchanged(before: UserRow, undo: () => Promise<unknown>): Promise<void> {
    const now = await users.byId(before.id);
    if (now && !now.disabled && now.password_hash === before.password_hash) return;
    await undo();
    throw new Fault('invalid_credentials');
  }

  async function admit(user: UserRow, origin: Origin, proof?: SecondProof): Promise<LoginResult> {
    const { id, token } = await web_sessions.start(user, origin);
    await assertUnchanged(user, () => web_sessions.end(user.id, id));
    const actor = { user_id: user.id, username: user.username, ip_address: origin.ip_address };
    if (proof === 'recovery_code') await trail.record(actor, 'recovery_code_use', '');
    await trail.record(actor, 'login', proof ? `${user.source}, with a second factor` : user.source);
    return { access_token: token, token_type: 'bearer', requires_2fa: false };
  }

  async function awaitSecondFactor(user: UserRow): Promise<LoginResult> {
    const { id, token } = await web_sessions.startPending(user);
    await assertUnchanged(user, () => pending_sign_ins.take(id));
    return { access_token: token, token_type: 'bearer', requires_2fa: true };
  }

  return {
    login: (input, origin) =>
      counted(input.username, origin, async (attempt) => {
        const user = await provePassword(input, attempt, origin);
        if (user.source !== 'local') await rights.recheck(({ owner }) => owner.user_id === user.id);
        if (!user.totp_enabled) {
          await attempt.succeeded();
          return admit(user, origin);
        }
        if (input.totp_code === undefined) {
          await attempt.undo(); // the second step decides
          return awaitSecondFactor(user);
        }
        const proof = await proveSecondFactor(user, input.totp_code, origin);
        await attempt.succeeded();
        return admit(user, origin, proof);
      }),

    complete: (caller, code, origin) =>
      counted(caller.username, origin, async (attempt) => {
        const id = String(caller.credential.id);
        if (!(await pending_sign_ins.try(id, clock.now().toISOString()))) throw new Fault('invalid_token');
        const user = await users.byId(caller.user_id);
        if (!user || user.disabled) throw new Fault('invalid_token');
        const proof = await proveSecondFactor(user, code, origin);
        if (!(await pending_sign_ins.take(id))) throw new Fault('invalid_token');
        await attempt.succeeded();
        return admit(user, origin, proof);
      }),
  };
}

type SecondProof = 'totp' | 'recovery_code';

function isFault(error: unknown, code: FaultCode): boolean {
  return error instanceof Fault && error.code === code;
}
