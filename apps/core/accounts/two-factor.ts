import type { AuditTrail } from '../audit/trail.ts';
import { totpUri } from '../crypto/totp.ts';
import { Fault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { RecoveryCodes, TotpSetup, TotpState } from '../model/accounts/second-factor.ts';
import { assertMay } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Lockouts } from './lockouts.ts';
import type { SecondFactors } from './second-factors.ts';

/** The caller's own second factor. */
export interface TwoFactor {
  state(caller: Caller): Promise<TotpState>;
  setUp(caller: Caller): Promise<TotpSetup>;
  confirm(caller: Caller, code: string): Promise<RecoveryCodes>;
  renew(caller: Caller, code: string): Promise<RecoveryCodes>;
  disable(caller: Caller, code: string): Promise<TotpState>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'second_factors'>;
  readonly factors: SecondFactors;
  readonly lockouts: Lockouts;
  readonly trail: AuditTrail;
}

export function createTwoFactor({ repositories, factors, lockouts, trail }: Deps): TwoFactor {
  async function wrongCode(caller: Caller): Promise<Fault> {
    await trail.record(caller, 'proof_failed', '2FA code');
    return new Fault('invalid_2fa_code');
  }

  /** Wrong codes count towards the account's lock, so a stolen session cannot be used to guess them. */
  async function assertCode(caller: Caller, code: string): Promise<void> {
    const { enabled } = await factors.state(caller.user_id);
    if (!enabled) throw new Fault('totp_not_set_up');
    const attempt = await lockouts.attempt(caller.username);
    if (!(await factors.accept(caller.user_id, code))) throw await wrongCode(caller);
    await attempt.succeeded(caller.username);
  }

  return {
    async state(caller) {
      assertMay(caller, 'read_own_sign_ins');
      return factors.state(caller.user_id);
    },

    async setUp(caller) {
      assertMay(caller, 'change_own_sign_in');
      const secret = await factors.begin(caller.user_id);
      if (secret === undefined) throw new Fault('totp_already_enabled');
      return { secret, qr_uri: totpUri(secret, caller.username) };
    },

    async confirm(caller, code) {
      assertMay(caller, 'confirm_second_factor');
      const recovery_codes = await factors.confirm(caller.user_id, code);
      if (!recovery_codes) throw await wrongCode(caller);
      await trail.record(caller, 'totp_enable', '');
      return { enabled: true, recovery_codes };
    },

    async renew(caller, code) {
      assertMay(caller, 'change_own_sign_in');
      await assertCode(caller, code);
      const recovery_codes = await factors.renew(caller.user_id);
      await trail.record(caller, 'recovery_codes_renew', '');
      return { enabled: true, recovery_codes };
    },

    async disable(caller, code) {
      assertMay(caller, 'change_own_sign_in');
      await assertCode(caller, code);
      await repositories.second_factors.clear(caller.user_id);
      await trail.record(caller, 'totp_disable', '');
      return factors.state(caller.user_id);
    },
  };
}
