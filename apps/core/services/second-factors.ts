import { newRecoveryCode, newTotpSecret, stepOfCode } from '../crypto/totp.ts';
import type { Vault } from '../crypto/vault.ts';
import { Fault } from '../errors.ts';
import { digest } from '../lib/bytes.ts';
import type { SecondFactorRow } from '../model/second-factor.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

const RECOVERY_CODES = 10;
const PURPOSE = 'users.totp_secret';

/** Secrets and codes of the second factor: sealed, digested, and each code accepted once. */
export interface SecondFactors {
  /** What the code was; undefined when it is wrong or used up. */
  accept(user_id: number, code: string): Promise<'totp' | 'recovery_code' | undefined>;
  /** Starts a set-up; undefined while the second factor is enabled. */
  begin(user_id: number): Promise<string | undefined>;
  /** Ends the set-up; the recovery codes, or undefined when the code is wrong. */
  confirm(user_id: number, code: string): Promise<string[] | undefined>;
  /** New recovery codes in place of the old ones. */
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

  async function open(sealed: string): Promise<string> {
    try {
      return await vault.open(sealed, PURPOSE);
    } catch (cause) {
      throw new Fault(
        'credential_unreadable',
        'The second factor of this account cannot be decrypted: use a recovery code, or have it reset by an administrator',
        { cause },
      );
    }
  }

  async function stepOf(sealed: string | null, digits: string): Promise<number | undefined> {
    return sealed === null ? undefined : stepOfCode(await open(sealed), digits, clock.now());
  }

  async function acceptTotp(user_id: number, row: SecondFactorRow, digits: string): Promise<boolean> {
    const step = await stepOf(row.totp_secret_sealed, digits);
    return step !== undefined && (await second_factors.takeStep(user_id, step));
  }

  /** Another code may be taken at the same moment: then the list has changed, and this one is looked for again. */
  async function acceptRecovery(user_id: number, code: string): Promise<boolean> {
    const wanted = await digestOf(user_id, code);
    for (let round = 0; round < RECOVERY_CODES; round += 1) {
      const { recovery_digests: before } = await rowOf(user_id);
      if (!before.includes(wanted)) return false;
      const after = before.filter((one) => one !== wanted);
      if (await second_factors.replaceRecovery(user_id, before, after)) return true;
    }
    return false;
  }

  return {
    async accept(user_id, typed) {
      const code = plain(typed);
      const row = await rowOf(user_id);
      if (!row.totp_enabled) return undefined;
      if (isDigits(code)) return (await acceptTotp(user_id, row, code)) ? 'totp' : undefined;
      return (await acceptRecovery(user_id, code)) ? 'recovery_code' : undefined;
    },

    async begin(user_id) {
      const secret = newTotpSecret();
      const begun = await second_factors.begin(user_id, await vault.seal(secret, PURPOSE));
      return begun ? secret : undefined;
    },

    async confirm(user_id, typed) {
      const { totp_enabled, totp_secret_sealed } = await rowOf(user_id);
      if (totp_enabled) throw new Fault('totp_already_enabled');
      if (totp_secret_sealed === null) throw new Fault('totp_not_set_up');
      const code = plain(typed);
      const step = isDigits(code) ? await stepOf(totp_secret_sealed, code) : undefined;
      if (step === undefined) return undefined;
      const { codes, recovery_digests } = await newCodes(user_id);
      const enabled = await second_factors.enable(user_id, { totp_secret_sealed, step, recovery_digests });
      if (!enabled) throw new Fault('totp_already_enabled');
      return codes;
    },

    async renew(user_id) {
      const { codes, recovery_digests } = await newCodes(user_id);
      const { recovery_digests: before } = await rowOf(user_id);
      if (await second_factors.replaceRecovery(user_id, before, recovery_digests)) return codes;
      throw new Fault('totp_not_set_up'); // switched off meanwhile
    },

    async state(user_id) {
      const { totp_enabled, recovery_digests } = await rowOf(user_id);
      return { enabled: totp_enabled, recovery_codes_left: totp_enabled ? recovery_digests.length : 0 };
    },
  };
}

async function newCodes(user_id: number): Promise<{ codes: string[]; recovery_digests: string[] }> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const recovery_digests = await Promise.all(codes.map((code) => digestOf(user_id, plain(code))));
  return { codes, recovery_digests };
}

function digestOf(user_id: number, code: string): Promise<string> {
  return digest(`${user_id}:${code}`);
}

/** As people type it: with spaces, hyphens or capitals. */
function plain(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

function isDigits(code: string): boolean {
  return /^\d{6}$/.test(code);
}
