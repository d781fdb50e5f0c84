import { createHmac, createPrivateKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { wireString, wireUint32 } from '#worker/ssh/keys/wire.ts';
import { longestHold } from '../../../support/event-loop.ts';
import { encrypted, lines, ones, rsaOf } from './der-keys.ts';
import { PASSPHRASE, reason } from './key-files.ts';

/** OpenSSL computes with the public exponent to sign: for seconds with one of 17,000 bytes. */
const longExponent = (bytes = 17_000) => rsaOf(8192, { e: ones(bytes * 8) });

function pkcs8Rsa(exponent_bytes: number): Buffer {
  return createPrivateKey(longExponent(exponent_bytes)).export({ type: 'pkcs8', format: 'der' });
}

type Name = 'n' | 'e' | 'd' | 'p' | 'q' | 'qi';

/** The numbers of the key, as SSH writes them. */
function mpints(key: string, names: readonly Name[]): Buffer[] {
  const jwk = createPrivateKey(key).export({ format: 'jwk' });
  return names.map((name) =>
    wireString(Buffer.concat([Buffer.of(0), Buffer.from(jwk[name] ?? '', 'base64url')])),
  );
}

function openssh(key: string): string {
  const [kind, none] = [wireString('ssh-rsa'), wireString('none')];
  const open = Buffer.concat([kind, ...mpints(key, ['e', 'n'])]);
  const numbers = mpints(key, ['n', 'e', 'd', 'qi', 'p', 'q']);
  const secret = Buffer.concat([Buffer.alloc(8), kind, ...numbers, wireString('')]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (secret.length % 8)) % 8));
  const head = [Buffer.from('openssh-key-v1\0'), none, none, wireString(''), wireUint32(1)];
  const blob = [...head, wireString(open), wireString(Buffer.concat([secret, padding]))];
  return lines('OPENSSH PRIVATE KEY', Buffer.concat(blob).toString('base64'));
}

function putty(key: string): string {
  const open = Buffer.concat([wireString('ssh-rsa'), ...mpints(key, ['e', 'n'])]);
  const secret = Buffer.concat(mpints(key, ['d', 'p', 'q', 'qi']));
  const mac = createHmac('sha256', '');
  for (const field of ['ssh-rsa', 'none', 'long', open, secret]) mac.update(wireString(field));
  return [
    ...['PuTTY-User-Key-File-3: ssh-rsa', 'Encryption: none', 'Comment: long'],
    ...['Public-Lines: 1', open.toString('base64'), 'Private-Lines: 1', secret.toString('base64')],
    `Private-MAC: ${mac.digest('hex')}`,
  ].join('\n');
}

it.each([
  ['a PEM key (PKCS#1 RSA)', 'not encrypted', longExponent()],
  ['a PEM key (PKCS#8)', 'not encrypted', lines('PRIVATE KEY', pkcs8Rsa(17_000).toString('base64'))],
  ['a PEM key (PKCS#8)', 'encrypted', encrypted(pkcs8Rsa(600), PASSPHRASE)],
  ['an OpenSSH key', 'not encrypted', openssh(longExponent())],
  ['a PuTTY key (version 3)', 'not encrypted', putty(longExponent())],
])(
  'An RSA key is refused when its public exponent has more than 8 bytes: %s, %s',
  async (name, _how, key) => {
    const { result, held_ms } = await longestHold(() => reason(key, PASSPHRASE));
    expect(result).toBe(`This is ${name}: it is damaged, its numbers are too long`);
    expect(held_ms).toBeLessThan(1000);
  },
);

it('An RSA key may have a public exponent of 8 bytes', async () => {
  expect(await reason(longExponent(8))).toMatch(/halves do not match$/); // the numbers of this one
});
