import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, manualClock, targetTo, worker } from '../../setup.ts';
import {
  assertReadable,
  atOnce,
  type KeyFile,
  keygen,
  PASSPHRASE,
  pkcs8Ed25519,
  puttyKey,
  reason,
  signIn,
  withRounds,
} from './key-files.ts';

const KINDS: Readonly<Record<string, readonly string[]>> = {
  ed25519: ['-t', 'ed25519'],
  rsa: ['-t', 'rsa', '-b', '2048'],
  nistp256: ['-t', 'ecdsa', '-b', '256'],
  nistp384: ['-t', 'ecdsa', '-b', '384'],
  nistp521: ['-t', 'ecdsa', '-b', '521'],
};

/** The ssh-keygen options for each format, and its first line; ssh-keygen writes Ed25519 in its own format only. */
const FORMS: Readonly<Record<string, readonly [string, RegExp]>> = {
  OpenSSH: ['RFC4716', /BEGIN OPENSSH PRIVATE KEY/],
  PEM: ['PEM', /BEGIN (RSA|EC) PRIVATE KEY/],
  'PKCS#8': ['PKCS8', /BEGIN (ENCRYPTED )?PRIVATE KEY/],
};

const CHACHA = 'chacha20-poly1305@openssh.com';

/** Every cipher of ssh-keygen's option `-Z`. */
const CIPHERS = execFileSync('ssh', ['-Q', 'cipher'], { encoding: 'utf8' }).trim().split('\n');

function* everyKey(): Generator<readonly [string, KeyFile]> {
  for (const [kind, create] of Object.entries(KINDS)) {
    for (const [form, [option]] of Object.entries(FORMS)) {
      if (kind === 'ed25519' && form !== 'OpenSSH') continue;
      yield [`${form}, ${kind}`, keygen([...create, '-N', '', '-m', option])];
      yield [`${form}, ${kind}, encrypted`, keygen([...create, '-N', PASSPHRASE, '-m', option, '-a', '1'])];
    }
  }
  yield ['PKCS#8, ed25519', pkcs8Ed25519()];
  yield ['PKCS#8, ed25519, encrypted', pkcs8Ed25519(PASSPHRASE)];
  for (const cipher of CIPHERS) {
    const encrypted = ['-N', PASSPHRASE, '-Z', cipher, '-a', '1'];
    yield [`OpenSSH, encrypted with ${cipher}`, keygen(['-t', 'ed25519', ...encrypted])];
  }
  const chacha = ['-N', PASSPHRASE, '-Z', CHACHA, '-a', '1'];
  for (const [kind, create] of Object.entries(KINDS)) {
    if (kind !== 'ed25519')
      yield [`OpenSSH, ${kind}, encrypted with ChaCha20`, keygen([...create, ...chacha])];
  }
}

const KEYS = [...everyKey()];

describe('Private keys', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ authorized_keys: KEYS.map(([, { public_key }]) => public_key) });
  });
  afterAll(() => sshd.stop());

  it.each(KEYS)('authenticate: %s', async (name, { key }) => {
    const [, begin] = FORMS[name.split(',')[0] ?? ''] ?? [];
    expect(key).toMatch(begin ?? '');
    expect(await signIn(sshd, key, PASSPHRASE)).toMatchObject({ success: true });
  });

  it('of type RSA sign with SHA-2, since a host accepts nothing else', async () => {
    expect(sshd.log()).toMatch(/Accepted publickey .* RSA/);
    expect(sshd.log()).not.toMatch(/signature algorithm ssh-rsa not in/);
  });
});

const UNENCRYPTED = {
  OpenSSH: keygen(['-t', 'ed25519', '-N', '']).key,
  PEM: keygen(['-t', 'ecdsa', '-m', 'PEM', '-N', '']).key,
  'PEM, encrypted': keygen(['-t', 'ecdsa', '-m', 'PEM', '-N', PASSPHRASE]).key,
  'PKCS#8': pkcs8Ed25519().key,
  PuTTY: puttyKey('nistp256-v3.ppk'),
};

describe('A private key', () => {
  describe.each(Object.entries(UNENCRYPTED))('in %s format', (_form, key) => {
    it.each<[string, (key: string) => string]>([
      ['with line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
      ['with line ends of an old Mac', (text) => text.replaceAll('\n', '\r')],
      ['with a mark of the byte order', (text) => `\uFEFF${text}`],
      ['with blanks at the end of each line', (text) => text.replaceAll('\n', ' \t\n')],
      ['indented', (text) => text.replace(/^/gm, '    ')],
      ['among empty lines', (text) => `\n \r\n${text}\n\n`],
      ['without a last line end', (text) => text.trim()],
    ])('is read %s', async (_how, change) => {
      await expect(assertReadable(change(key), PASSPHRASE)).resolves.toBeUndefined();
    });
  });

  it.each(['OpenSSH', 'PEM', 'PKCS#8'] as const)('in %s format is read from one line', async (form) => {
    const one_line = UNENCRYPTED[form].trim().replaceAll('\n', ' ');
    await expect(assertReadable(one_line)).resolves.toBeUndefined();
  });

  it('is found after its curve parameters and next to a certificate', async () => {
    const other = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    await expect(assertReadable(other + UNENCRYPTED.PEM)).resolves.toBeUndefined();
    const certificate = other.replaceAll('EC PARAMETERS', 'CERTIFICATE');
    await expect(assertReadable(UNENCRYPTED['PKCS#8'] + certificate)).resolves.toBeUndefined();
  });

  it('that needs no passphrase is accepted with one', async () => {
    await expect(assertReadable(UNENCRYPTED.OpenSSH, 'unneeded')).resolves.toBeUndefined();
  });
});

/** How often the event loop turned during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await work().finally(() => clearInterval(timer));
  return turns;
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, value.length]), value]);
};
const integer = (value: number) => der(0x02, Buffer.from(value.toString(16).padStart(8, '0'), 'hex'));

/** A PKCS#8 key up to its key-derivation parameters, after a salt. */
function encryptedHeader(numbers: number[]): string {
  const parameters = der(0x30, der(0x04, Buffer.alloc(8)), ...numbers.map(integer));
  const oid = der(0x06, Buffer.alloc(9));
  const algorithm = der(0x30, oid, der(0x30, der(0x30, oid, parameters)));
  const body = der(0x30, algorithm, der(0x04, Buffer.alloc(48))).toString('base64');
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\n-----END ENCRYPTED PRIVATE KEY-----`;
}

describe('encrypted private keys', () => {
  it('are decrypted without blocking the event loop', async () => {
    const { key } = keygen(['-t', 'ed25519', '-a', '48', '-N', PASSPHRASE]);
    expect(await turnsDuring(() => assertReadable(key, PASSPHRASE))).toBeGreaterThan(5);
  });

  it('are refused above 256 bcrypt rounds, before any work', async () => {
    const { key } = keygen(['-t', 'ed25519', '-N', PASSPHRASE]);
    expect(await atOnce(reason(withRounds(key, 257), PASSPHRASE))).toBe(
      'This is an OpenSSH key, encrypted with 257 bcrypt rounds: no more than 256 are supported',
    );
  });

  it.each([
    ['PBKDF2', [17_000_000]],
    ['scrypt', [16_384, 8, 512]],
  ])('are refused when %s needs too much work, before any of it', async (_kdf, numbers) => {
    expect(await atOnce(reason(encryptedHeader(numbers), PASSPHRASE))).toBe(
      'This is a PEM key (PKCS#8), encrypted: it would take too long to decrypt',
    );
  });

  it('are refused when their numbers are nested too deeply', async () => {
    const body = Buffer.from('30847fffffff'.repeat(8000), 'hex').toString('base64');
    const key = `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\n-----END ENCRYPTED PRIVATE KEY-----`;
    expect(await reason(key, PASSPHRASE)).toBe(
      'This is a PEM key (PKCS#8), encrypted: it would take too long to decrypt',
    );
  });

  it('are refused when they take longer than a minute', async () => {
    const clock = manualClock();
    const { key } = keygen(['-t', 'ed25519', '-N', PASSPHRASE]);
    const { private_keys } = worker({ clock });
    const reading = failureOf(private_keys.assertReadable(withRounds(key, 256), PASSPHRASE));
    await new Promise(setImmediate);
    clock.advance(60_000);
    expect(await reading).toMatchObject({
      code: 'unreadable_private_key',
      detail: 'This is an OpenSSH key, encrypted: it takes too long to decrypt',
    });
  });

  it('are decrypted once: the next dial reuses the result', async () => {
    const { key } = keygen(['-t', 'ed25519', '-a', '32', '-N', PASSPHRASE]);
    const { private_keys } = worker();
    await private_keys.assertReadable(key, PASSPHRASE);
    expect(await atOnce(private_keys.assertReadable(key, PASSPHRASE))).not.toBe('later');
  });

  it('are decrypted again for another passphrase', async () => {
    const { key } = keygen(['-t', 'ed25519', '-N', PASSPHRASE]);
    const { private_keys } = worker();
    await private_keys.assertReadable(key, PASSPHRASE);
    expect((await failureOf(private_keys.assertReadable(key, 'wrong'))).detail).toContain(
      'the passphrase is wrong',
    );
    expect((await failureOf(private_keys.assertReadable(key, ''))).detail).toContain(
      'it needs its passphrase',
    );
  });

  it('do not suspend the connect timeout while they are decrypted', async () => {
    const { key } = keygen(['-t', 'ed25519', '-N', PASSPHRASE]);
    const sshd: Sshd = await startSshd();
    const auth = { method: 'key', private_key: withRounds(key, 256), passphrase: PASSPHRASE } as const;
    const opening = worker({ connect_timeout_ms: 1000 }).files.open(targetTo(sshd, { auth }));
    const failure = await failureOf(opening);
    await sshd.stop();
    expect(failure).toMatchObject({ code: 'connect_timeout', stage: 'auth' });
  });
});
