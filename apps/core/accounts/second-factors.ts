import { newTotpSecret, stepOfCode } from '../crypto/totp.ts';
import type { Vault } from '../crypto/vault.ts';
import { Fault } from '../errors.ts';
import type { SecondFactorRow } from '../model/accounts/second-factor.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { newRecoveryCodes, plainCode, renewRecoveryCodes, takeRecoveryCode } from './recovery-codes.ts';

const PLACE = 'users.totp_secret';

/** TOTP secrets (sealed) and recovery codes (digested). Each code is accepted once. */
export interface SecondFactors {
  /** The kind of code; undefined when it is wrong or already used. */
  accept(user_id: number, code: string): Promise<'totp' | 'recovery_code' | undefined>;
  /** Starts setup and returns the secret; undefined when the second factor is already enabled. */
  begin(user_id: number): Promise<string | undefined>;
  /** Completes setup and returns recovery codes; undefined when the code is wrong. */
  confirm(user_id: number, code: string): Promise<string[] | undefined>;
  /** Replaces the recovery codes. */
  renew(user_id: number): Promise<string[]>;
  state(user_id: number): Promise<{ enabled: boolean; recovery_codes_left: number }>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'second_factors'>;
  readonly vault: Vault;
  readonly clock: Clock;
}

export function createSecondFactors({ repositories, vault, clock }: Deps): SecondFactors {
  const { second_factors } = repositories;

  async function rowOf(user_id: number): Promise<SecondFactorRow> {
    const row = await second_factors.of(user_id);
    if (!row) throw new Fault('invalid_token');
    return row;
  }

  /** Undefined when the code is not valid now. */
  async function stepOf(user_id: number, sealed: string | null, code: string): Promise<number | undefined> {
    if (sealed === null || !isDigits(code)) return undefined;
    return stepOfCode(await openSecret(vault, user_id, sealed), code, clock.now());
  }

  return {
    async accept(user_id, typed) {
      const code = plainCode(typed);
      const { totp_enabled, totp_secret_sealed } = await rowOf(user_id);
      if (!totp_enabled) return undefined;
      if (!isDigits(code)) {
        return (await takeRecoveryCode(second_factors, user_id, code)) ? 'recovery_code' : undefined;
      }
      const step = await stepOf(user_id, totp_secret_sealed, code);
      return step !== undefined && (await second_factors.takeStep(user_id, step)) ? 'totp' : undefined;
    },

    async begin(user_id) {
      const secret = newTotpSecret();
      const begun = await second_factors.begin(user_id, await vault.seal(secret, PLACE, user_id));
      return begun ? secret : undefined;
    },

    async confirm(user_id, typed) {
      const { totp_enabled, totp_secret_sealed } = await rowOf(user_id);
      if (totp_enabled) throw new Fault('totp_already_enabled');
      if (totp_secret_sealed === null) throw new Fault('totp_not_set_up');
      const step = await stepOf(user_id, totp_secret_sealed, plainCode(typed));
      if (step === undefined) return undefined;
      const { codes, digests: recovery_digests } = await newRecoveryCodes(user_id);
      const enabled = await second_factors.enable(user_id, { totp_secret_sealed, step, recovery_digests });
      if (!enabled) throw new Fault('totp_already_enabled');
      return codes;
    },

    renew: (user_id) => renewRecoveryCodes(second_factors, user_id),

    async state(user_id) {
      const { totp_enabled, recovery_digests } = await rowOf(user_id);
      return { enabled: totp_enabled, recovery_codes_left: totp_enabled ? recovery_digests.length : 0 };
    },
  };
}

async function openSecret(vault: Vault, user_id: number, sealed: string): Promise<string> {
  try {
    return await vault.open(sealed, PLACE, user_id);
  } catch (cause) {
    throw new Fault(
      'credential_unreadable',
      'The second factor of this account cannot be decrypted: use a recovery code, or have it reset by an administrator',
      { cause },
    );
  }
}

function isDigits(code: string): boolean {
  return /^\d{6}$/.test(code);
}
