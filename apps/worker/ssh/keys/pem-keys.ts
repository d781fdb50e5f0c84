import { getCiphers } from 'node:crypto';
import { decryptedText, type KeyOpener, orDamaged, toKeyObject, unsupportedKind } from './key-object.ts';
import { damaged, type KeyText, pemBytes, unreadable } from './key-text.ts';
import { isWholePkcs8, pkcs8Work } from './pkcs8.ts';

// OpenSSL cannot be interrupted: this many PBKDF2 iterations take about 3 s, and a million is the usual maximum.
const MAX_PKCS8_WORK = 2 ** 22;

// An RSA key of 8192 bits has 4,800. With the numbers of a longer DSA key, OpenSSL would compute for minutes.
const MAX_ENCRYPTED_BYTES = 6 * 1024;

/** PKCS#1, SEC1 and PKCS#8, everything that OpenSSL reads. */
export const pemOpener: KeyOpener = {
  isEncrypted(key) {
    if (key.text.startsWith('-----BEGIN DSA ')) throw unsupportedKind(key, 'dsa');
    return isEncryptedPkcs8(key.text) || key.text.includes('Proc-Type: 4,ENCRYPTED');
  },
  readPlain: (key) => ({ private_key: toKeyObject(key, key.text) }),
  async decrypt(key, passphrase, decrypt) {
    assertDecryptable(key);
    const outcome = await decrypt({ kind: 'pem', text: key.text, passphrase });
    if (outcome.kind === 'failed' && isUnsupported(outcome.cause))
      throw unsupportedCipher(key, outcome.cause);
    return { private_key: toKeyObject(key, decryptedText(key, outcome)) };
  },
};

function isEncryptedPkcs8(text: string): boolean {
  return text.startsWith('-----BEGIN ENCRYPTED ');
}

/** Refuses up front what no passphrase can open. */
function assertDecryptable(key: KeyText): void {
  if (isEncryptedPkcs8(key.text)) assertPkcs8(key);
  else assertCipher(key);
  if (pemBytes(key).length > MAX_ENCRYPTED_BYTES)
    throw unreadable(key, `, encrypted: it has more than ${MAX_ENCRYPTED_BYTES} bytes`);
}

function assertPkcs8(key: KeyText): void {
  const bytes = pemBytes(key);
  const is_too_much = orDamaged(key, () => pkcs8Work(bytes)) > MAX_PKCS8_WORK;
  if (is_too_much) throw unreadable(key, ', encrypted: it would take too long to decrypt');
  if (!isWholePkcs8(bytes)) throw damaged(key);
}

/** RFC 1421 §4.6.1.3, with OpenSSL's cipher names. */
function assertCipher(key: KeyText): void {
  const cipher = /^DEK-Info: ([A-Za-z0-9-]{1,40}),[0-9A-Fa-f]+$/m.exec(key.text)?.[1];
  if (cipher === undefined) throw damaged(key, 'it is damaged, its DEK-Info line is missing');
  if (!getCiphers().includes(cipher.toLowerCase())) {
    throw unreadable(key, `, encrypted with ${cipher}, which is not supported`);
  }
}

function isUnsupported(cause: Error): boolean {
  return 'code' in cause && cause.code === 'ERR_OSSL_EVP_UNSUPPORTED';
}

function unsupportedCipher(key: KeyText, cause: Error) {
  return unreadable(key, ', encrypted in an outdated way that is not supported', cause);
}
