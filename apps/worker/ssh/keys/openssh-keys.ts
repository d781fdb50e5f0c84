import {
  decryptedText,
  type KeyOpener,
  type KeyPair,
  orDamaged,
  parseText,
  toKeyObject,
  unsupportedKind,
} from './key-object.ts';
import { type KeyText, unreadable } from './key-text.ts';
import { type OpensshFile, readOpensshFile } from './openssh-file.ts';

const MAX_BCRYPT_ROUNDS = 256; // ssh-keygen uses 24 and some people a hundred; this many take about 4 s

const KINDS = /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521))$/;
const CIPHERS = /^(?:aes(?:128|192|256)-(?:ctr|cbc)|aes(?:128|256)-gcm@openssh\.com|3des-cbc)$/;

export const opensshOpener: KeyOpener = {
  isEncrypted: (key) => supportedFile(key).cipher !== 'none',
  readPlain(key) {
    const file = supportedFile(key);
    const pem = orDamaged(key, () => parseText(key.text).getPrivatePEM());
    return toPair(key, file, pem);
  },
  async decrypt(key, passphrase, decrypt) {
    const file = supportedFile(key);
    assertDecryptable(key, file);
    const outcome = await decrypt({ kind: 'openssh', text: key.text, passphrase });
    return toPair(key, file, decryptedText(key, outcome));
  },
};

function supportedFile(key: KeyText): OpensshFile {
  const file = readOpensshFile(key);
  const { kind } = file;
  if (KINDS.test(kind)) return file;
  if (kind.startsWith('sk-')) throw unreadable(key, ` of a security key (${kind}), which needs the device`);
  throw unsupportedKind(key, kind);
}

function assertDecryptable(key: KeyText, { cipher, rounds }: OpensshFile): void {
  if (!CIPHERS.test(cipher)) throw unreadable(key, `, encrypted with ${cipher}, which is not supported`);
  if (rounds <= MAX_BCRYPT_ROUNDS) return;
  const limit = `no more than ${MAX_BCRYPT_ROUNDS} are supported`;
  throw unreadable(key, `, encrypted with ${rounds} bcrypt rounds: ${limit}`);
}

function toPair(key: KeyText, { public_blob }: OpensshFile, pem: string): KeyPair {
  return { private_key: toKeyObject(key, pem), public_blob };
}
