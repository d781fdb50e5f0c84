import { CHACHA_KEY_BYTES, decryptChacha } from './chacha.ts';
import {
  decryptedText,
  type KeyOpener,
  type KeyPair,
  orDamaged,
  parseText,
  toKeyObject,
  unsupportedKind,
  wrongPassphrase,
} from './key-object.ts';
import type { Decrypter } from './key-processes.ts';
import { type KeyText, unreadable } from './key-text.ts';
import { type OpensshFile, readOpensshFile, writePlainKey } from './openssh-file.ts';

const MAX_BCRYPT_ROUNDS = 256; // ssh-keygen uses 24 and some people a hundred; this many take about 4 s

const KINDS = /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521))$/;
const CHACHA = 'chacha20-poly1305@openssh.com'; // ssh2 knows it for packets only
const CIPHERS =
  /^(?:aes(?:128|192|256)-(?:ctr|cbc)|aes(?:128|256)-gcm@openssh\.com|3des-cbc|chacha20-poly1305@openssh\.com)$/;

export const opensshOpener: KeyOpener = {
  isEncrypted: (key) => supportedFile(key).cipher !== 'none',
  readPlain(key) {
    return toPair(key, supportedFile(key), plainPem(key, key.text));
  },
  async decrypt(key, passphrase, decrypt) {
    const file = supportedFile(key);
    assertDecryptable(key, file);
    if (file.cipher === CHACHA) return toPair(key, file, await chachaPem(key, file, { passphrase, decrypt }));
    const outcome = await decrypt({ kind: 'openssh', text: key.text, passphrase });
    return toPair(key, file, decryptedText(key, outcome));
  },
};

function plainPem(key: KeyText, text: string): string {
  return orDamaged(key, () => parseText(text).getPrivatePEM());
}

interface Unlocking {
  readonly passphrase: string;
  readonly decrypt: Decrypter;
}

async function chachaPem(
  key: KeyText,
  file: OpensshFile,
  { passphrase, decrypt }: Unlocking,
): Promise<string> {
  const { salt, rounds, public_blob, private_part, tag } = file;
  const outcome = await decrypt({ kind: 'bcrypt', salt, rounds, bytes: CHACHA_KEY_BYTES, passphrase });
  const stretched = Buffer.from(decryptedText(key, outcome), 'base64');
  const plain = decryptChacha(private_part, tag, stretched);
  if (!plain) throw wrongPassphrase(key);
  return plainPem(key, writePlainKey(public_blob, plain));
}

function supportedFile(key: KeyText): OpensshFile {
  const file = readOpensshFile(key);
  const { kind } = file;
  if (KINDS.test(kind)) return file;
  if (kind.startsWith('sk-')) throw unreadable(key, ` of a security key (${kind}), which needs the device`);
  throw unsupportedKind(key, kind);
}

function assertDecryptable(key: KeyText, { cipher, rounds }: OpensshFile): void {
  if (!CIPHERS.test(cipher)) {
    const way_out = '"ssh-keygen -p -Z aes256-ctr -f key" changes that';
    throw unreadable(key, `, encrypted with ${cipher}, which is not supported: ${way_out}`);
  }
  if (rounds <= MAX_BCRYPT_ROUNDS) return;
  const limit = `no more than ${MAX_BCRYPT_ROUNDS} are supported`;
  throw unreadable(key, `, encrypted with ${rounds} bcrypt rounds: ${limit}`);
}

function toPair(key: KeyText, { public_blob }: OpensshFile, pem: string): KeyPair {
  return { private_key: toKeyObject(key, pem), public_blob };
}
