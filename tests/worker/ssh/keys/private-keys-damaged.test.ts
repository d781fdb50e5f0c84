import { describe, expect, it } from 'vitest';
import { failureOf } from '../../setup.ts';
import { assertReadable, keygen, PASSPHRASE, pkcs8Ed25519, puttyKey } from './key-files.ts';

const KEYS: Readonly<Record<string, string>> = {
  'OpenSSH, ed25519': keygen(['-t', 'ed25519', '-N', '']).key,
  'OpenSSH, rsa': keygen(['-t', 'rsa', '-b', '2048', '-N', '']).key,
  'OpenSSH, ecdsa': keygen(['-t', 'ecdsa', '-b', '521', '-N', '']).key,
  'PEM, rsa': keygen(['-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '']).key,
  'PEM, ecdsa': keygen(['-t', 'ecdsa', '-m', 'PEM', '-N', '']).key,
  'PKCS#8, rsa': keygen(['-t', 'rsa', '-b', '2048', '-m', 'PKCS8', '-N', '']).key,
  'PKCS#8, ed25519': pkcs8Ed25519().key,
  'PuTTY 2': puttyKey('nistp384-v2.ppk'),
  'PuTTY 2, encrypted': puttyKey('rsa-v2-encrypted.ppk'),
  'PuTTY 3': puttyKey('rsa-v3.ppk'),
};

/** Each damaged text takes its own process. */
const ENCRYPTED_KEYS: Readonly<Record<string, string>> = {
  'OpenSSH, encrypted': keygen(['-t', 'ed25519', '-a', '1', '-N', PASSPHRASE]).key,
  'PEM, encrypted': keygen(['-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', PASSPHRASE]).key,
  'PKCS#8, encrypted': pkcs8Ed25519(PASSPHRASE).key,
  'PuTTY 3, encrypted': puttyKey('ed25519-v3-argon2i.ppk'),
};

const CUTS = 40;

function cutOff(key: string): string[] {
  return Array.from({ length: CUTS }, (_, index) => key.slice(0, (key.length * index) / CUTS));
}

/** The same in every run, so that failures can be reproduced. */
function createDice(): (sides: number) => number {
  let state = 1;
  return (sides) => {
    state = (state * 48_271) % 0x7fffffff;
    return state % sides;
  };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= :-\n\0\uFFFD';

function changed(key: string, times: number): string[] {
  const roll = createDice();
  const change = () => {
    const at = roll(key.length);
    return key.slice(0, at) + ALPHABET.charAt(roll(ALPHABET.length)) + key.slice(at + 1);
  };
  return Array.from({ length: times }, change);
}

/** Some changes leave a valid key: those in the padding, or in the seed of Ed25519 in PKCS#8. */
async function codeOf(text: string): Promise<string> {
  const read = assertReadable(text, PASSPHRASE).then(() => Promise.reject(new Error('Readable')));
  return failureOf(read).then(
    ({ code }) => code,
    (error: Error) => error.message,
  );
}

async function outcomesOf(texts: readonly string[]): Promise<Set<string>> {
  return new Set(await Promise.all(texts.map(codeOf)));
}

describe('A truncated private key', () => {
  it.each(Object.entries({ ...KEYS, ...ENCRYPTED_KEYS }))(
    'is refused at every length: %s',
    async (_form, key) => {
      expect(await outcomesOf(cutOff(key))).toEqual(new Set(['unreadable_private_key']));
    },
  );
});

describe('A private key with one changed character', () => {
  it.each(Object.entries(KEYS))('is refused or read: %s', async (_form, key) => {
    const outcomes = await outcomesOf(changed(key, 300));
    expect([...outcomes].filter((outcome) => outcome !== 'Readable')).toEqual(['unreadable_private_key']);
  });

  it.each(Object.entries(ENCRYPTED_KEYS))('is refused or read: %s', async (_form, key) => {
    const outcomes = await outcomesOf(changed(key, 25));
    expect([...outcomes].filter((outcome) => outcome !== 'Readable')).toEqual(['unreadable_private_key']);
  });
});
