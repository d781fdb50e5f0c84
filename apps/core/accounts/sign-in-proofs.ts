import type { ActivityRights } from '../activities/rights.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault, type FaultCode } from '../errors.ts';
import { visible } from '../lib/text.ts';
import type { GatewayEvent } from '../model/event.ts';
import type { Login, UserRow } from '../model/user.ts';
import { passwordKeeperOf } from '../model/user-source.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { DirectoryCode } from './directory-passwords.ts';
import type { Admission } from './external-accounts.ts';
import type { Attempt, Lockouts } from './lockouts.ts';
import type { PasswordCheck } from './password-check.ts';
import type { SecondFactors } from './second-factors.ts';
import type { Origin } from './web-sessions.ts';

const EVENT_NAME_LENGTH = 64;

export type SecondProof = 'totp' | 'recovery_code';

/** Checks passwords and codes. Each failure is audited and counts towards the lock of the name. */
export interface SignInProofs {
  /** Counts `work` as one attempt for this name; an error unrelated to the credentials takes the attempt back. */
  counted<T>(username: string, origin: Origin, work: (attempt: Attempt) => Promise<T>): Promise<T>;
  password(input: Login, origin: Origin): Promise<UserRow>;
  secondFactor(user: UserRow, code: string, origin: Origin): Promise<SecondProof>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly passwords: PasswordCheck;
  readonly factors: SecondFactors;
  readonly lockouts: Lockouts;
  readonly rights: ActivityRights;
  readonly trail: AuditTrail;
  readonly meter: Pick<Meter, 'add'>;
}

export function createSignInProofs(deps: Deps): SignInProofs {
  const { repositories, passwords, factors, lockouts, rights, trail, meter } = deps;

  async function failed(
    username: string,
    { ip_address }: Origin,
    why: string,
    event?: GatewayEvent,
  ): Promise<void> {
    meter.add('failed_logins');
    const user = await repositories.users.byName(username);
    const actor = { user_id: user?.id ?? null, username: user?.username ?? username, ip_address };
    await trail.record(actor, 'login_failed', why, { event });
  }

  /** Records a sign-in that failed though nothing says that the password is wrong. */
  async function unproven(
    username: string,
    { ip_address }: Origin,
    code: DirectoryCode,
    why: string,
  ): Promise<void> {
    const user = await repositories.users.byName(username);
    const actor = { user_id: user?.id ?? null, username: user?.username ?? username, ip_address };
    await trail.record(actor, code === 'directory_unavailable' ? code : 'login_failed', why);
  }

  /** Records and applies what an external source changed about the account. */
  async function admitted({ user, changed }: Extract<Admission, { user: UserRow }>, { ip_address }: Origin): Promise<UserRow> {
    const actor = { user_id: user.id, username: user.username, ip_address };
    await Promise.all(changed.map(({ action, detail }) => trail.record(actor, action, detail)));
    if (passwordKeeperOf(user) !== 'gateway') await rights.recheckUser(user.id);
    return user;
  }

  async function begin(username: string, origin: Origin): Promise<Attempt> {
    try {
      return await lockouts.attempt(username);
    } catch (error) {
      if (isFault(error, 'account_locked')) await failed(username, origin, 'the account is locked');
      throw error;
    }
  }

  return {
    async counted(username, origin, work) {
      const attempt = await begin(username, origin);
      try {
        return await work(attempt);
      } catch (error) {
        const is_wrong = isFault(error, 'invalid_credentials') || isFault(error, 'invalid_2fa_code');
        if (!is_wrong) await attempt.undo();
        throw error;
      }
    },

    async password({ username, password }, origin) {
      const checked = await passwords.check(username, password);
      if (!checked.user && checked.code) {
        await unproven(username, origin, checked.code, checked.refusal);
        throw new Fault(checked.code);
      }
      if (!checked.user) {
        const data = { username: visible(username, EVENT_NAME_LENGTH), ip: origin.ip_address };
        await failed(username, origin, checked.refusal, { event: 'user_login_failed', data });
        throw new Fault('invalid_credentials');
      }
      return admitted(checked, origin);
    },

    async secondFactor(user, code, origin) {
      const proof = await factors.accept(user.id, code);
      if (proof) return proof;
      await failed(user.username, origin, 'wrong 2FA code');
      throw new Fault('invalid_2fa_code');
    },
  };
}

function isFault(error: unknown, code: FaultCode): boolean {
  return error instanceof Fault && error.code === code;
}
