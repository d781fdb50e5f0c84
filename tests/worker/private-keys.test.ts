import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Sshd, startSshd } from '../support/sshd.ts';
import { failureOf, manualClock, targetTo, worker } from './setup.ts';

const assertReadable = (key: string, passphrase = '') =>
  worker().private_keys.assertReadable(key, passphrase);
const reason = async (key: string, passphrase = '') =>
  (await failureOf(assertReadable(key, passphrase))).detail;

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
  it.each(['ed25519', 'rsa', 'ecdsa'])('reads an OpenSSH %s key', async (type) => {
    await expect(assertReadable(keygen('-t', type, '-N', '').key)).resolves.toBeUndefined();
  });

  it('reads PEM keys, encrypted ones too', async () => {
    await expect(assertReadable(keygen('-t', 'rsa', '-m', 'PEM', '-N', '').key)).resolves.toBeUndefined();
    const { key } = keygen('-t', 'rsa', '-m', 'PEM', '-N', 'open sesame');
    await expect(assertReadable(key, 'open sesame')).resolves.toBeUndefined();
  });

  it.each(['rsa', 'ec', 'ed25519'] as const)('reads a PKCS#8 %s key', async (type) => {
    await expect(assertReadable(pkcs8[type]().privateKey)).resolves.toBeUndefined();
  });

  it('reads an encrypted PKCS#8 key with its passphrase only', async () => {
    const key = encryptedPkcs8();
    await expect(assertReadable(key, 'open sesame')).resolves.toBeUndefined();
    expect(await reason(key)).toBe('The private key needs its passphrase');
    expect(await reason(key, 'wrong')).toContain('The passphrase is wrong');
  });

  it('says when the passphrase is missing or wrong', async () => {
    const { key } = keygen('-t', 'ed25519', '-N', 'open sesame');
    await expect(assertReadable(key, 'open sesame')).resolves.toBeUndefined();
    expect(await reason(key)).toBe('The private key needs its passphrase');
    expect(await reason(key, 'wrong')).toContain('The passphrase is wrong');
  });

  it('takes a key that needs no passphrase with one all the same', async () => {
    await expect(assertReadable(keygen('-t', 'ed25519', '-N', '').key, 'unneeded')).resolves.toBeUndefined();
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

/** The longest time that nothing else could run, while this did. */
async function blockedFor(work: () => Promise<unknown>): Promise<number> {
  let longest_ms = 0;
  let last_ms = performance.now();
  const timer = setInterval(() => {
    longest_ms = Math.max(longest_ms, performance.now() - last_ms);
    last_ms = performance.now();
  }, 1);
  await work().finally(() => clearInterval(timer));
  return Math.max(longest_ms, performance.now() - last_ms);
}

/** The same key, saying another number of bcrypt rounds; it follows the salt, 16 bytes of a string of 24. */
function withRounds(key: string, rounds: number): string {
  const [begin, ...lines] = key.trim().split('\n');
  const end = lines.pop();
  const blob = Buffer.from(lines.join(''), 'base64');
  blob.writeUInt32BE(rounds, blob.indexOf(Buffer.from([0, 0, 0, 24, 0, 0, 0, 16])) + 24);
  return [begin, blob.toString('base64'), end].join('\n');
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, value.length]), value]);
};
const integer = (value: number) => der(0x02, Buffer.from(value.toString(16).padStart(8, '0'), 'hex'));

/** A PKCS#8 key as far as the parameters of its key derivation, after a salt. */
function encryptedHeader(numbers: number[]): string {
  const parameters = der(0x30, der(0x04, Buffer.alloc(8)), ...numbers.map(integer));
  const oid = der(0x06, Buffer.alloc(9));
  const algorithm = der(0x30, oid, der(0x30, der(0x30, oid, parameters)));
  const body = der(0x30, algorithm, der(0x04, Buffer.alloc(48))).toString('base64');
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\n-----END ENCRYPTED PRIVATE KEY-----`;
}

describe('encrypted private keys', () => {
  it('are decrypted beside everything else, which goes on', async () => {
    const { key } = keygen('-t', 'ed25519', '-a', '48', '-N', 'open sesame');
    expect(await blockedFor(() => assertReadable(key, 'open sesame'))).toBeLessThan(150);
  });

  it('are refused above 1024 bcrypt rounds, before any work', async () => {
    const { key } = keygen('-t', 'ed25519', '-N', 'open sesame');
    const began_ms = performance.now();
    expect(await reason(withRounds(key, 1025), 'open sesame')).toBe(
      'The private key is encrypted with 1025 bcrypt rounds: no more than 1024 are supported',
    );
    expect(performance.now() - began_ms).toBeLessThan(50);
  });

  it.each([
    ['PBKDF2', [17_000_000]],
    ['scrypt', [16_384, 8, 512]],
  ])('are refused for too much work of %s too, which nothing could interrupt', async (_kdf, numbers) => {
    expect(await reason(encryptedHeader(numbers), 'open sesame')).toBe(
      'The private key would take too long to decrypt',
    );
  });

  it('are refused when they take longer than 10 s', async () => {
    const clock = manualClock();
    const { key } = keygen('-t', 'ed25519', '-N', 'open sesame');
    const { private_keys } = worker({ clock });
    const reading = failureOf(private_keys.assertReadable(withRounds(key, 1024), 'open sesame'));
    await new Promise(setImmediate);
    clock.advance(10_000);
    expect(await reading).toMatchObject({
      code: 'unreadable_private_key',
      detail: 'The private key takes too long to decrypt',
    });
  });

  it('are decrypted once: the next dial costs nothing', async () => {
    const { key } = keygen('-t', 'ed25519', '-a', '100', '-N', 'open sesame');
    const { private_keys } = worker();
    await private_keys.assertReadable(key, 'open sesame');
    const began_ms = performance.now();
    await private_keys.assertReadable(key, 'open sesame');
    expect(performance.now() - began_ms).toBeLessThan(20);
  });

  it('are not remembered for another passphrase', async () => {
    const { key } = keygen('-t', 'ed25519', '-N', 'open sesame');
    const { private_keys } = worker();
    await private_keys.assertReadable(key, 'open sesame');
    expect((await failureOf(private_keys.assertReadable(key, 'wrong'))).detail).toContain(
      'The passphrase is wrong',
    );
    expect((await failureOf(private_keys.assertReadable(key, ''))).detail).toContain('needs its passphrase');
  });

  it.each(['rsa', 'ecdsa', 'ed25519'])('sign in as OpenSSH %s keys', async (type) => {
    const { key, public_key } = keygen('-t', type, '-N', 'open sesame');
    const sshd: Sshd = await startSshd({ authorized_keys: [public_key] });
    const auth = { method: 'key', private_key: key, passphrase: 'open sesame' } as const;
    const result = await worker().prober.test(targetTo(sshd, { auth }));
    await sshd.stop();
    expect(result).toMatchObject({ success: true });
  });

  it('leave the connect timeout in force while they are decrypted', async () => {
    const { key } = keygen('-t', 'ed25519', '-N', 'open sesame');
    const sshd: Sshd = await startSshd();
    const auth = { method: 'key', private_key: withRounds(key, 1024), passphrase: 'open sesame' } as const;
    const opening = worker({ connect_timeout_ms: 1000 }).files.open(targetTo(sshd, { auth }));
    const failure = await failureOf(opening);
    await sshd.stop();
    expect(failure).toMatchObject({ code: 'connect_timeout', stage: 'auth' });
  });
});
