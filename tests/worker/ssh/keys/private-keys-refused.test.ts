import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { longestHold } from '../../../support/event-loop.ts';
import { DH_OID, encrypted, integer, lines, longDsa, ones, rsaOf, sequence, unsigned } from './der-keys.ts';
import { atOnce, keygen, PASSPHRASE, pkcs8Ed25519, puttyKey, reason } from './key-files.ts';

const ED25519 = keygen(['-t', 'ed25519', '-C', '', '-N', '']);
const RSA = keygen(['-t', 'rsa', '-b', '2048', '-N', '']);

describe('A private key is refused with its format', () => {
  it.each([
    ['an OpenSSH key', keygen(['-t', 'ed25519', '-N', PASSPHRASE, '-a', '1']).key],
    [
      'an OpenSSH key',
      keygen(['-t', 'ed25519', '-N', PASSPHRASE, '-Z', 'chacha20-poly1305@openssh.com', '-a', '1']).key,
    ],
    ['a PEM key (PKCS#1 RSA)', keygen(['-t', 'rsa', '-m', 'PEM', '-N', PASSPHRASE]).key],
    ['a PEM key (SEC1 EC)', keygen(['-t', 'ecdsa', '-m', 'PEM', '-N', PASSPHRASE]).key],
    ['a PEM key (PKCS#8)', pkcs8Ed25519(PASSPHRASE).key],
  ])('when the passphrase is missing or wrong: %s', async (name, key) => {
    expect(await reason(key)).toBe(`This is ${name}, encrypted: it needs its passphrase`);
    expect(await reason(key, 'wrong')).toBe(`This is ${name}: the passphrase is wrong`);
  });

  it.each([
    ['an OpenSSH key', ED25519.key],
    ['a PEM key (PKCS#1 RSA)', keygen(['-t', 'rsa', '-m', 'PEM', '-N', '']).key],
    ['a PEM key (SEC1 EC)', keygen(['-t', 'ecdsa', '-m', 'PEM', '-N', '']).key],
    ['a PEM key (PKCS#8)', pkcs8Ed25519().key],
    ['a PEM key (PKCS#8)', pkcs8Ed25519(PASSPHRASE).key],
  ])('when it is damaged or truncated: %s', async (name, key) => {
    expect(await reason(key.replace(/\n.{40}/, '\n'), PASSPHRASE)).toBe(`This is ${name}: it is damaged`);
    expect(await reason(key.replace(/\n./, '\n*'), PASSPHRASE)).toBe(`This is ${name}: it is damaged`);
    expect(await reason(key.slice(0, -30), PASSPHRASE)).toBe(
      `This is ${name}: it is cut off, its END line is missing`,
    );
  });

  it('when its public and private halves do not match', async () => {
    const [begin, ...body] = ED25519.key.trim().split('\n');
    const end = body.pop();
    const bytes = Buffer.from(body.join(''), 'base64');
    const at = bytes.length - 60; // Within the seed: the public half, the comment and the padding follow.
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    expect(await reason([begin, bytes.toString('base64'), end].join('\n'))).toBe(
      'This is an OpenSSH key: it is damaged, its public and private halves do not match',
    );
  });

  it.each([
    [2040, 'no less than 2048'],
    [8200, 'no more than 8192'],
  ])('when it is an RSA key of %i bits, before any work', async (bits, limit) => {
    expect(await atOnce(reason(rsaOf(bits)))).toBe(
      `This is a PEM key (PKCS#1 RSA): it is an RSA key of ${bits} bits, and ${limit} are supported`,
    );
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi'])(
    'when its number %s would take long to sign with',
    async (name) => {
      expect(await atOnce(reason(rsaOf(2048, { [name]: ones(40_000) })))).toBe(
        'This is a PEM key (PKCS#1 RSA): it is damaged, its numbers are too long',
      );
    },
  );

  it('when OpenSSL would compute its public half, before it does', async () => {
    const plain = (key: Buffer) => atOnce(reason(lines('PRIVATE KEY', key.toString('base64'))));
    expect(await plain(longDsa())).toBe('This is a PEM key (PKCS#8): DSA keys are not supported');
    expect(await plain(longDsa(1000, DH_OID))).toBe(
      'This is a PEM key (PKCS#8): keys of the kind unknown are not supported',
    );
    expect(await plain(indefinite(longDsa()))).toBe('This is a PEM key (PKCS#8): it is damaged');
  });

  it.each(['RSA PRIVATE KEY', 'EC PRIVATE KEY'])(
    'when it is another key than its label %s says, before OpenSSL computes with it',
    async (label) => {
      const relabelled = lines(label, longDsa(2000).toString('base64'));
      const { result, held_ms } = await longestHold(() => reason(relabelled));
      expect(result).toMatch(/: it is damaged$/);
      expect(held_ms).toBeLessThan(1000); // OpenSSL takes over two seconds
    },
  );

  it('when it has further primes', async () => {
    const text = lines('RSA PRIVATE KEY', multiPrimeRsa().toString('base64'));
    expect(await reason(text)).toBe('This is a PEM key (PKCS#1 RSA): it is damaged');
  });

  it('when it is encrypted and longer than any key that SSH supports', async () => {
    expect(await atOnce(reason(encrypted(Buffer.alloc(7000), PASSPHRASE), PASSPHRASE))).toMatch(
      /encrypted: it has more than 6144 bytes$/,
    );
  });

  it.each([
    ['an indefinite length', (element: Buffer) => withLength(element, Buffer.of(0x80), Buffer.alloc(2))],
    ['a length of seven bytes', (element: Buffer) => withLength(element, longLength(element))],
    ['a tag of two bytes', (element: Buffer) => Buffer.concat([Buffer.of(0x3f, 0x10), element.subarray(1)])],
  ])('when %s hides from the gateway how long it takes to decrypt', async (_how, encode) => {
    const key = encrypted(Buffer.alloc(64), PASSPHRASE, encode);
    expect(await atOnce(reason(key, PASSPHRASE))).toBe('This is a PEM key (PKCS#8): it is damaged');
  });

  it('when SSH does not define its curve', async () => {
    expect(await reason(pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }), 'sec1'))).toBe(
      'This is a PEM key (SEC1 EC): its curve (secp256k1) is not supported, only nistp256, nistp384, nistp521 are',
    );
    expect(await reason(pem(generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' })))).toContain(
      'its curve (brainpoolP256r1) is not supported',
    );
  });

  it.each([
    ['a PEM key (PKCS#8): DSA keys are not supported', dsa()],
    ['a PEM key (DSA): DSA keys are not supported', lines('DSA PRIVATE KEY')],
    ['a PEM key (PKCS#8): keys of the kind ed448 are not supported', pem(generateKeyPairSync('ed448'))],
    ['a PEM key (PKCS#8): keys of the kind x25519 are not supported', pem(generateKeyPairSync('x25519'))],
  ])('when SSH servers do not accept its type: %s', async (what, key) => {
    expect(await reason(key)).toBe(`This is ${what}`);
  });

  it('when it is an OpenSSH key of an unsupported type', async () => {
    expect(await reason(opensshOf('ssh-dss'))).toBe('This is an OpenSSH key: DSA keys are not supported');
    expect(await reason(opensshOf('ssh-xmss@openssh.com'))).toBe(
      'This is an OpenSSH key: keys of the kind ssh-xmss@openssh.com are not supported',
    );
    expect(await reason(opensshOf('sk-ssh-ed25519@openssh.com'))).toBe(
      'This is an OpenSSH key of a security key (sk-ssh-ed25519@openssh.com), which needs the device',
    );
  });

  it('when its encryption is not supported', async () => {
    const { key } = keygen(['-t', 'ed25519', '-N', PASSPHRASE, '-Z', 'aes256-ctr', '-a', '1']);
    expect(await reason(withCipher(key, 'arcfour256'), PASSPHRASE)).toBe(
      'This is an OpenSSH key, encrypted with arcfour256, which is not supported: "ssh-keygen -p -Z aes256-ctr -f key" changes that',
    );
    const des = keygen(['-t', 'rsa', '-m', 'PEM', '-N', PASSPHRASE]).key.replace('AES-128-CBC', 'DES-CBC');
    expect(await reason(des, PASSPHRASE)).toBe(
      'This is a PEM key (PKCS#1 RSA), encrypted with DES-CBC, which is not supported',
    );
    expect(await reason(OUTDATED_PKCS8, PASSPHRASE)).toBe(
      'This is a PEM key (PKCS#8), encrypted in an outdated way that is not supported',
    );
  });

  it('when its format is unknown', async () => {
    expect(await reason(lines('FOO PRIVATE KEY'))).toBe(
      'This is a key in an unknown format (-----BEGIN FOO PRIVATE KEY-----)',
    );
  });
});

describe('A text that is not a private key is refused with its kind', () => {
  it.each([
    ['a public key (ssh-ed25519), not a private one', ED25519.public_key],
    ['a public key (ssh-rsa), not a private one', RSA.public_key],
    [
      'a public key (sk-ssh-ed25519@openssh.com), not a private one',
      'sk-ssh-ed25519@openssh.com AAAAGnNr x@y',
    ],
    [
      'a public key (---- BEGIN SSH2 PUBLIC KEY ----), not a private one',
      '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----',
    ],
    ['a public key (-----BEGIN PUBLIC KEY-----), not a private one', lines('PUBLIC KEY')],
    ['a public key (-----BEGIN RSA PUBLIC KEY-----), not a private one', lines('RSA PUBLIC KEY')],
    [
      'a certificate (ssh-ed25519-cert-v01@openssh.com), not a private key',
      'ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1l x@y',
    ],
    [
      'an SSH.com/Tectia key (---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----): export it in OpenSSH format',
      '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56w==\n---- END SSH2 ENCRYPTED PRIVATE KEY ----',
    ],
    ['an X.509 certificate, not a private key', lines('CERTIFICATE')],
    ['a certificate request, not a private key', lines('CERTIFICATE REQUEST')],
    ['a PGP key or message, which SSH does not use', lines('PGP PRIVATE KEY BLOCK')],
    ['a key of SSH version 1, which is not supported', 'SSH PRIVATE KEY FILE FORMAT 1.1\n\0\x03\0\0'],
    ['an age key, which SSH does not use', '# created: today\n# public key: age1x\nAGE-SECRET-KEY-1QQQ'],
    ['a file encrypted with age: decrypt it first', lines('AGE ENCRYPTED FILE')],
    ['a file encrypted with age: decrypt it first', 'age-encryption.org/v1\n-> X25519 x'],
    ['a file encrypted with Ansible Vault: decrypt it first', '$ANSIBLE_VAULT;1.1;AES256\n3132'],
    ['a JSON Web Key: export it in OpenSSH or PEM format', JSON.stringify({ kty: 'OKP', crv: 'Ed25519' })],
    ['the name of a file: paste the contents of the file', '~/.ssh/id_ed25519'],
    ['the name of a file: paste the contents of the file', 'C:\\Users\\x\\key.ppk'],
    ['a PKCS#12 file: export the key in PEM format', pkcs12().toString()],
    ['a PKCS#12 file: export the key in PEM format', pkcs12().toString('base64')],
    ['a Java key store (JKS): export the key in PEM format', keyStore().toString()],
    ['a Java key store (JKS): export the key in PEM format', keyStore().toString('base64')],
    ['a binary file (DER): export the key in PEM format', derRsa().toString()],
    ['a binary file, not text', '\x7fELF\0\0\0'],
    ['a key without its BEGIN and END lines: paste those too', derRsa().toString('base64')],
    [
      'a key without its BEGIN and END lines: paste those too',
      ED25519.key.split('\n').slice(1, -2).join('\n'),
    ],
    ['not a private key', ''],
    ['not a private key', 'hunter2'],
    ['not a private key', 'a'.repeat(65_536)],
  ])('This is %s', async (what, text) => {
    expect(await reason(text, PASSPHRASE)).toBe(`This is ${what}`);
  });

  it('and is never repeated', async () => {
    const secret = 'c29tZXRoaW5nIHNlY3JldA';
    const putty = puttyKey('ed25519-v3.ppk').replace('Private-MAC', `${secret}\nPrivate-MAC`);
    for (const text of [secret, putty, lines('PRIVATE KEY', secret), lines('OPENSSH PRIVATE KEY', secret)]) {
      expect(await reason(text)).not.toContain(secret);
    }
  });
});

function pem({ privateKey }: KeyPairKeyObjectResult, type: 'pkcs1' | 'sec1' | 'pkcs8' = 'pkcs8'): string {
  return privateKey.export({ type, format: 'pem' }).toString();
}

/** A short element, with its length written in another way. */
function withLength(element: Buffer, length: Buffer, end = Buffer.alloc(0)): Buffer {
  return Buffer.concat([element.subarray(0, 1), length, element.subarray(2), end]);
}

function longLength(element: Buffer): Buffer {
  return Buffer.of(0x87, 0, 0, 0, 0, 0, 0, element.length - 2);
}

/** The same sequence in BER: its end is marked instead of its length. */
function indefinite(key: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x30, 0x80), key.subarray(4), Buffer.alloc(2)]);
}

/** A valid RSA key to which a third prime is added (RFC 8017 §A.1.2). */
function multiPrimeRsa(): Buffer {
  const { n, e, d, p, q, dp, dq, qi } = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(
    {
      format: 'jwk',
    },
  );
  const numbers = [n, e, d, p, q, dp, dq, qi].map((number) =>
    unsigned(Buffer.from(number ?? '', 'base64url')),
  );
  const further = sequence(...[3, 5, 7].map(integer));
  return sequence(integer(1), ...numbers, sequence(further));
}

function dsa(): string {
  return pem(generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }));
}

const uint32 = (value: number) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex');
const string = (value: string | Buffer) => Buffer.concat([uint32(value.length), Buffer.from(value)]);

/** The part that is read before any of its numbers. */
/** The key with another name of its cipher, which follows the first 15 bytes and its length, 10. */
function withCipher(key: string, cipher: string): string {
  const blob = Buffer.from(key.trim().split('\n').slice(1, -1).join(''), 'base64');
  blob.write(cipher, 15 + 4, 10, 'latin1');
  return lines('OPENSSH PRIVATE KEY', blob.toString('base64'));
}

function opensshOf(kind: string): string {
  const none = [string('none'), string('none'), string('')];
  const blob = [Buffer.from('openssh-key-v1\0'), ...none, uint32(1), string(string(kind)), string('')];
  return lines('OPENSSH PRIVATE KEY', Buffer.concat(blob).toString('base64'));
}

/** A throw-away key of `openssl pkcs8 -topk8 -v1 PBE-MD5-DES`. */
const OUTDATED_PKCS8 = lines(
  'ENCRYPTED PRIVATE KEY',
  'MFcwGwYJKoZIhvcNAQUDMA4ECDYW3Gf+V0VoAgIIAAQ4XR/Qf3vcijXet+rq21vQURgpjbk5sBtxrQgKAxbNquxQNrWWIvI9zkQoorw1mvJwgUe3ecjrhxM=',
);

function derRsa(): Buffer {
  const options = { modulusLength: 2048 };
  return generateKeyPairSync('rsa', options).privateKey.export({ type: 'pkcs1', format: 'der' });
}

/** The first bytes of `openssl pkcs12 -export`, with padding. */
function pkcs12(): Buffer {
  return Buffer.concat([
    Buffer.from('308209df0201033082098506092a864886f70d010701', 'hex'),
    Buffer.alloc(40, 7),
  ]);
}

function keyStore(): Buffer {
  return Buffer.concat([Buffer.from('feedfeed0000000200000001', 'hex'), Buffer.alloc(40, 7)]);
}
