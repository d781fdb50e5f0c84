import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { createTokens } from '#core/accounts/tokens.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { stepOfCode, totpUri } from '#core/crypto/totp.ts';
import { createOldVault, createVault } from '#core/crypto/vault.ts';
import { sealedBefore } from '../../support/features/sealed-before.ts';

const SECRET = 'a secret key that is long enough';
const clockAt = (at: string) => ({
  now: () => new Date(at),
  elapsed_ms: () => 0,
  after: () => () => undefined,
});

describe('The vault', () => {
  it('opens what it sealed, and never produces the same ciphertext twice', async () => {
    const vault = createVault(await createKeyring(SECRET));
    const sealed = await vault.seal('pässword', 'servers.password', 7);
    expect(sealed).not.toContain('pässword');
    expect(await vault.seal('pässword', 'servers.password', 7)).not.toBe(sealed);
    expect(await vault.open(sealed, 'servers.password', 7)).toBe('pässword');
  });

  it('refuses another key, another column, another row, a changed bit and foreign data', async () => {
    const vault = createVault(await createKeyring(SECRET));
    const sealed = await vault.seal('secret', 'servers.password', 7);
    const other = createVault(await createKeyring(`${SECRET}!`));
    const flipped = sealed.slice(0, -4) + (sealed.at(-4) === 'A' ? 'B' : 'A') + sealed.slice(-3);
    await expect(other.open(sealed, 'servers.password', 7)).rejects.toThrow();
    await expect(vault.open(sealed, 'servers.passphrase', 7)).rejects.toThrow();
    await expect(vault.open(sealed, 'servers.password', 8)).rejects.toThrow();
    await expect(vault.open(flipped, 'servers.password', 7)).rejects.toThrow();
    await expect(vault.open('secret', 'servers.password', 7)).rejects.toThrow();
  });

  it('refuses the form of older versions, which names no row', async () => {
    const keyring = await createKeyring(SECRET);
    const old = await sealedBefore(keyring, 'secret', 'servers.password');
    expect(await createOldVault(keyring)(old, 'servers.password')).toBe('secret');
    await expect(createVault(keyring).open(old, 'servers.password', 7)).rejects.toThrow();
  });

  it('derives the same keys from the same secret, and different keys for different purposes', async () => {
    const [one, two] = [await createKeyring(SECRET), await createKeyring(SECRET)];
    const clock = clockAt('2026-01-01T00:00:00Z');
    const claims = { user_id: 7, jti: 'jti', typ: 'session' } as const;
    const token = await createTokens(one, clock).sign(claims, new Date('2026-01-02T00:00:00Z'));
    expect(await createTokens(two, clock).verify(token)).toEqual(claims);
    expect(await createTokens({ ...two, signing: two.forward }, clock).verify(token)).toBeUndefined();
    expect(await createTokens({ ...two, signing: two.audit }, clock).verify(token)).toBeUndefined();
    expect(one.storage.id).toBe(two.storage.id);
    expect(await createVault(two).open(await createVault(one).seal('x', 'p', 1), 'p', 1)).toBe('x');
  });
});

describe('A session token', () => {
  it('is valid until it expires', async () => {
    const keyring = await createKeyring(SECRET);
    const issued = createTokens(keyring, clockAt('2026-01-01T00:00:00Z'));
    const claims = { user_id: 7, jti: 'jti', typ: 'session' } as const;
    const token = await issued.sign(claims, new Date('2026-01-02T00:00:00Z'));
    expect(await issued.verify(token)).toEqual({ user_id: 7, jti: 'jti', typ: 'session' });
    expect(await createTokens(keyring, clockAt('2026-01-01T23:59:59Z')).verify(token)).toBeDefined();
    expect(await createTokens(keyring, clockAt('2026-01-02T00:00:01Z')).verify(token)).toBeUndefined();
  });
});

describe('A temporary two-factor token', () => {
  it('carries the claim pending_2fa', async () => {
    const tokens = createTokens(await createKeyring(SECRET), clockAt('2026-01-01T00:00:00Z'));
    const claims = { user_id: 7, jti: 'jti', typ: 'pending_2fa' } as const;
    const token = await tokens.sign(claims, new Date('2026-01-01T00:02:00Z'));
    expect(decodeJwt(token)).toMatchObject({ sub: '7', jti: 'jti', typ: 'pending_2fa', pending_2fa: true });
    expect(await tokens.verify(token)).toEqual(claims);
  });
});

describe('TOTP', () => {
  // RFC 6238 appendix B, SHA-1, the last six digits.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1234567890, '005924'],
    [2000000000, '279037'],
  ])('accepts the code of second %i, one step early or late, and no other', (second, code) => {
    const step = Math.floor(second / 30);
    const at = (seconds: number) => new Date(seconds * 1000);
    expect(stepOfCode(secret, code, at(second))).toBe(step);
    expect(stepOfCode(secret, code, at(second - 30))).toBe(step);
    expect(stepOfCode(secret, code, at(second + 30))).toBe(step);
    expect(stepOfCode(secret, code, at(second + 60))).toBeUndefined();
    expect(stepOfCode(secret, '000000', at(second))).toBeUndefined();
  });

  it('names the gateway and the user in the URI for authenticator apps', () => {
    expect(totpUri(secret, 'ann@example: x')).toBe(
      `otpauth://totp/Sallyport:ann%40example%3A%20x?issuer=Sallyport&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});
