import { newRecoveryCode } from '../crypto/totp.ts';
import { Fault } from '../errors.ts';
import { digest } from '../lib/bytes.ts';
import type { SecondFactorRepository } from '../ports/repositories.ts';

const HOW_MANY = 10;

export interface NewRecoveryCodes {
  /** To be shown once. */
  readonly codes: string[];
  /** To be kept. */
  readonly digests: string[];
}

export async function newRecoveryCodes(user_id: number): Promise<NewRecoveryCodes> {
  const codes = Array.from({ length: HOW_MANY }, newRecoveryCode);
  const digests = await Promise.all(codes.map((code) => digestOf(user_id, plainCode(code))));
  return { codes, digests };
}

/** Takes one of the user's codes; false when it is none of them, or not any more. */
export async function takeRecoveryCode(
  second_factors: SecondFactorRepository,
  user_id: number,
  code: string,
): Promise<boolean> {
  const wanted = await digestOf(user_id, code);
  // Another code may be taken at the same moment: then the list has changed, and this one is looked for again.
  for (let round = 0; round < HOW_MANY; round += 1) {
    const before = await digestsOf(second_factors, user_id);
    if (!before.includes(wanted)) return false;
    const after = before.filter((one) => one !== wanted);
    if (await second_factors.replaceRecovery(user_id, before, after)) return true;
  }
  return false;
}

/** New ones in place of the old ones. */
export async function renewRecoveryCodes(
  second_factors: SecondFactorRepository,
  user_id: number,
): Promise<string[]> {
  const { codes, digests } = await newRecoveryCodes(user_id);
  const before = await digestsOf(second_factors, user_id);
  if (await second_factors.replaceRecovery(user_id, before, digests)) return codes;
  throw new Fault('totp_not_set_up'); // switched off meanwhile
}

/** As people type it: with spaces, hyphens or capitals. */
export function plainCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

async function digestsOf(second_factors: SecondFactorRepository, user_id: number) {
  return (await second_factors.of(user_id))?.recovery_digests ?? [];
}

function digestOf(user_id: number, code: string): Promise<string> {
  return digest(`${user_id}:${code}`);
}
