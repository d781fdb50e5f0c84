import { describe, expect, it } from 'vitest';
import { byProof, needsSecondFactor, type Proof } from '#core/accounts/proofs/proof.ts';
import { userRow } from '../../support/databases/rows.ts';

const PASSWORD: Proof = { kind: 'password', username: 'ann', password: 'secret' };

describe('A proof', () => {
  it('is handled by the case of its kind', () => {
    expect(byProof(PASSWORD, { password: ({ username }) => username })).toBe('ann');
  });

  it('does not compile before every kind is decided', () => {
    // @ts-expect-error a case is missing
    expect(() => byProof(PASSWORD, {})).toThrow();
  });

  it('that is a password needs the second factor of the account', () => {
    const user = { ...userRow({}), id: 1, is_default_admin: false };
    expect(needsSecondFactor(PASSWORD, { ...user, totp_enabled: false })).toBe(false);
    expect(needsSecondFactor(PASSWORD, { ...user, totp_enabled: true })).toBe(true);
  });
});
