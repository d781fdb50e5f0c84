import type { ActivityRights } from '../../activities/rights.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import { Fault } from '../../errors.ts';
import { visible } from '../../lib/text/printable.ts';
import type { UserRow } from '../../model/accounts/user.ts';
import { passwordKeeperOf } from '../../model/accounts/user-source.ts';
import type { PasswordCheck } from '../password-check.ts';
import type { Origin } from '../web-sessions.ts';
import type { Failures } from './failures.ts';
import type { PasswordProof } from './proof.ts';

const EVENT_NAME_LENGTH = 64;

/** Checks a password here or at the directory, and applies what the directory changed about the account. */
export type PasswordProver = (proof: PasswordProof, origin: Origin) => Promise<UserRow>;

interface Deps {
  readonly passwords: PasswordCheck;
  readonly failures: Failures;
  readonly rights: ActivityRights;
  readonly trail: AuditTrail;
}

export function createPasswordProver({ passwords, failures, rights, trail }: Deps): PasswordProver {
  return async ({ username, password }, origin) => {
    const checked = await passwords.check(username, password);
    if (!checked.user && checked.code) {
      await failures.undecided(username, origin, checked.code, checked.refusal);
      throw new Fault(checked.code);
    }
    if (!checked.user) {
      const data = { username: visible(username, EVENT_NAME_LENGTH), ip: origin.ip_address };
      await failures.wrong(username, origin, checked.refusal, { event: 'user_login_failed', data });
      throw new Fault('invalid_credentials');
    }
    const { user, changed } = checked;
    const { ip_address, via } = origin;
    const actor = { user_id: user.id, username: user.username, ip_address, via };
    await Promise.all(changed.map(({ action, detail }) => trail.record(actor, action, detail)));
    if (passwordKeeperOf(user) !== 'gateway') await rights.recheckUser(user.id);
    return user;
  };
}
