import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Sshd, startSshd } from '../support/sshd.ts';
import { failureOf, targetTo, worker } from './setup.ts';

const assertReadable = (key: string, passphrase = '') =>
  worker().private_keys.assertReadable(key, passphrase);
const reason = async (key: string, passphrase = '') =>
  (await failureOf((async () => assertReadable(key, passphrase))())).detail;

/** What ssh-keygen writes, with its public key. */
function keygen(...options: string[]): { key: string; public_key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-key-'));
  try {
    execFileSync('ssh-keygen', ['-q', '-f', join(folder, 'key'), ...options]);
    const [key = '', public_key = ''] = ['key', 'key.pub'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    return { key, public_key };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PKCS8 = { type: 'pkcs8', format: 'pem' } as const;
const SPKI = { type: 'spki', format: 'pem' } as const;
const pkcs8 = {
  rsa: () =>
    generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: SPKI, privateKeyEncoding: PKCS8 }),
  ec: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding: SPKI, privateKeyEncoding: PKCS8 }),
  ed25519: () => generateKeyPairSync('ed25519', { publicKeyEncoding: SPKI, privateKeyEncoding: PKCS8 }),
};
const encryptedPkcs8 = () =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: SPKI,
    privateKeyEncoding: { ...PKCS8, cipher: 'aes-256-cbc', passphrase: 'open sesame' },
  }).privateKey;

describe('private keys', () => {
  it.each(['ed25519', 'rsa', 'ecdsa'])('reads an OpenSSH %s key', (type) => {
    expect(() => assertReadable(keygen('-t', type, '-N', '').key)).not.toThrow();
  });

  it('reads PEM keys, encrypted ones too', () => {
    expect(() => assertReadable(keygen('-t', 'rsa', '-m', 'PEM', '-N', '').key)).not.toThrow();
    const { key } = keygen('-t', 'rsa', '-m', 'PEM', '-N', 'open sesame');
    expect(() => assertReadable(key, 'open sesame')).not.toThrow();
  });

  it.each(['rsa', 'ec', 'ed25519'] as const)('reads a PKCS#8 %s key', (type) => {
    expect(() => assertReadable(pkcs8[type]().privateKey)).not.toThrow();
  });

  it('reads an encrypted PKCS#8 key with its passphrase only', async () => {
    const key = encryptedPkcs8();
    expect(() => assertReadable(key, 'open sesame')).not.toThrow();
    expect(await reason(key)).toBe('The private key needs its passphrase');
    expect(await reason(key, 'wrong')).toContain('The passphrase is wrong');
  });

  it('says when the passphrase is missing or wrong', async () => {
    const { key } = keygen('-t', 'ed25519', '-N', 'open sesame');
    expect(() => assertReadable(key, 'open sesame')).not.toThrow();
    expect(await reason(key)).toBe('The private key needs its passphrase');
    expect(await reason(key, 'wrong')).toContain('The passphrase is wrong');
  });

  it('takes a key that needs no passphrase with one all the same', () => {
    expect(() => assertReadable(keygen('-t', 'ed25519', '-N', '').key, 'unneeded')).not.toThrow();
  });

  it('says when the text is no private key at all', async () => {
    expect(await reason('')).toBe('This is not a private key');
    expect(await reason('hunter2')).toBe('This is not a private key');
    expect(await reason(keygen('-t', 'ed25519', '-N', '').public_key)).toBe('This is not a private key');
  });

  it('says when the key is damaged', async () => {
    const { key } = keygen('-t', 'ed25519', '-N', '');
    const damaged = key.replace(/\n.{40}/, '\n');
    expect(await reason(damaged)).toBe('The private key is damaged or of an unsupported format');
  });

  it('names PuTTY versions that it does not read', async () => {
    const text = 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\n';
    expect(await reason(text)).toContain('PuTTY version 3 keys are not supported');
  });

  it('signs in with a PKCS#8 key', async () => {
    const { key, public_key } = keygen('-t', 'rsa', '-m', 'PKCS8', '-N', '');
    expect(key).toContain('BEGIN PRIVATE KEY');
    const sshd: Sshd = await startSshd({ authorized_keys: [public_key] });
    const auth = { method: 'key', private_key: key, passphrase: '' } as const;
    const result = await worker().prober.test(targetTo(sshd, { auth }));
    await sshd.stop();
    expect(result).toMatchObject({ success: true });
  });
});
