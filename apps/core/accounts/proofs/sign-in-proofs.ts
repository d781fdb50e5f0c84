import { Fault, type FaultCode } from '../../errors.ts';
import type { UserRow } from '../../model/accounts/user.ts';
import type { Attempt, Lockouts } from '../lockouts.ts';
import type { SecondFactors } from '../second-factors.ts';
import type { Origin } from '../web-sessions.ts';
import type { Failures } from './failures.ts';
import type { PasswordProver } from './password.ts';
import { byProof, type Proof } from './proof.ts';

export type SecondProof = 'totp' | 'recovery_code';

/** Checks proofs of any kind and codes. Each failure is audited and counts towards the lock of the name. */
export interface SignInProofs {
  /** Counts `work` as one attempt for this name; an error unrelated to the credentials takes the attempt back. */
  counted<T>(username: string, origin: Origin, work: (attempt: Attempt) => Promise<T>): Promise<T>;
  /** Returns whom the proof shows. */
  check(proof: Proof, origin: Origin): Promise<UserRow>;
  secondFactor(user: UserRow, code: string, origin: Origin): Promise<SecondProof>;
}

interface Deps {
  readonly password: PasswordProver;
  readonly factors: SecondFactors;
  readonly lockouts: Lockouts;
  readonly failures: Failures;
}

export function createSignInProofs({ password, factors, lockouts, failures }: Deps): SignInProofs {
  async function begin(username: string, origin: Origin): Promise<Attempt> {
    try {
      return await lockouts.attempt(username);
    } catch (error) {
      if (isFault(error, 'account_locked')) await failures.wrong(username, origin, 'the account is locked');
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

    check: (proof, origin) => byProof(proof, { password: (sent) => password(sent, origin) }),

    async secondFactor(user, code, origin) {
      const proof = await factors.accept(user.id, code);
      if (proof) return proof;
      await failures.wrong(user.username, origin, 'wrong 2FA code');
      throw new Fault('invalid_2fa_code');
    },
  };
}

function isFault(error: unknown, code: FaultCode): boolean {
  return error instanceof Fault && error.code === code;
}
