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
  // Another code may be taken at the same moment: then the list has changed, and this one is looked for again.
  for (let round = 0; round < HOW_MANY; round += 1) {
    const before = await digestsOf(second_factors, user_id);
    const taken = await matchOf(before, user_id, code);
    if (taken === undefined) return false;
    const after = before.filter((one) => one !== taken);
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

/** Each with the id that it was made with, so that it still holds when the account gets another one. */
export function withSalts(user_id: number, digests: readonly string[]): string[] {
  return digests.map((one) => (one.includes(':') ? one : `${user_id}:${one}`));
}

/** Those that came out of a backup name the id that they were made with. */
async function matchOf(
  digests: readonly string[],
  user_id: number,
  code: string,
): Promise<string | undefined> {
  const salts = new Set(withSalts(user_id, digests).map((one) => one.split(':', 1).join('')));
  const wanted = new Set<string>();
  for (const salt of salts) wanted.add(`${salt}:${await digestOf(salt, code)}`);
  return digests.find((one) => withSalts(user_id, [one]).some((salted) => wanted.has(salted)));
}

/** As people type it: with spaces, hyphens or capitals. */
export function plainCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

async function digestsOf(second_factors: SecondFactorRepository, user_id: number) {
  return (await second_factors.of(user_id))?.recovery_digests ?? [];
}

function digestOf(user_id: number | string, code: string): Promise<string> {
  return digest(`${user_id}:${code}`);
}
