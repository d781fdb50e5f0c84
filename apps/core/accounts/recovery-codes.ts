import { newRecoveryCode } from '../crypto/totp.ts';
import { Fault } from '../errors.ts';
import { digest } from '../lib/bytes/bytes.ts';
import type { SecondFactorRepository } from '../ports/repositories/accounts.ts';

const HOW_MANY = 10;

export interface NewRecoveryCodes {
  /** Shown once. */
  readonly codes: string[];
  /** Stored. */
  readonly digests: string[];
}

export async function newRecoveryCodes(user_id: number): Promise<NewRecoveryCodes> {
  const codes = Array.from({ length: HOW_MANY }, newRecoveryCode);
  const digests = await Promise.all(codes.map((code) => digestOf(user_id, plainCode(code))));
  return { codes, digests };
}

/** Uses up a code; false when it is unknown or already used. */
export async function takeRecoveryCode(
  second_factors: SecondFactorRepository,
  user_id: number,
  code: string,
): Promise<boolean> {
  // A concurrent request may use another code, which changes the list; then try again.
  for (let round = 0; round < HOW_MANY; round += 1) {
    const before = await digestsOf(second_factors, user_id);
    const taken = await matchOf(before, user_id, code);
    if (taken === undefined) return false;
    const after = before.filter((one) => one !== taken);
    if (await second_factors.replaceRecovery(user_id, before, after)) return true;
  }
  return false;
}

/** Replaces all codes. */
export async function renewRecoveryCodes(
  second_factors: SecondFactorRepository,
  user_id: number,
): Promise<string[]> {
  const { codes, digests } = await newRecoveryCodes(user_id);
  const before = await digestsOf(second_factors, user_id);
  if (await second_factors.replaceRecovery(user_id, before, digests)) return codes;
  throw new Fault('totp_not_set_up'); // disabled in the meantime
}

/** Adds the user id that each digest was salted with, so that it stays valid when a restore changes the id. */
export function withSalts(user_id: number, digests: readonly string[]): string[] {
  return digests.map((one) => (one.includes(':') ? one : `${user_id}:${one}`));
}

/** Digests from a backup carry the user id they were salted with. */
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

/** Ignores the spaces, hyphens and capitals that people type. */
export function plainCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

async function digestsOf(second_factors: SecondFactorRepository, user_id: number) {
  return (await second_factors.of(user_id))?.recovery_digests ?? [];
}

function digestOf(user_id: number | string, code: string): Promise<string> {
  return digest(`${user_id}:${code}`);
}
