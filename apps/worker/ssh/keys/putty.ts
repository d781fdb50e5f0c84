import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { decryptedText, type KeyOpener, type KeyPair, toKeyObject, wrongPassphrase } from './key-object.ts';
import type { Argon2Parameters, Decrypter } from './key-processes.ts';
import { damaged, type KeyText, unreadable } from './key-text.ts';
import { type PuttyFile, readPuttyFile } from './putty-file.ts';
import { assertPuttyKind, puttyJwk } from './putty-numbers.ts';
import { wireString } from './wire.ts';

// Argon2 cannot be interrupted. PuTTYgen uses 8 MiB and as many passes as fit into 0.1 s, a few dozen.
const MAX_MEMORY_KIB = 256 * 1024;
const MAX_PARALLELISM = 16;
const MAX_WORK_KIB = 2 * 1024 * 1024; // memory times passes: about three seconds on one core

const AES_BLOCK = 16;
const KEY_BYTES = 32;
const SECRET_BYTES = KEY_BYTES + AES_BLOCK + 32; // for AES-256, its first block, and the MAC

/** Derived from the passphrase; without one, only the MAC key is used. */
interface Secrets {
  readonly cipher_key: Buffer;
  readonly iv: Buffer;
  readonly mac_key: Buffer;
}

export const puttyOpener: KeyOpener = {
  isEncrypted: (key) => supportedFile(key).encryption !== 'none',
  readPlain(key) {
    const file = supportedFile(key);
    const mac_key = file.version === 2 ? secretsOfVersion2('').mac_key : Buffer.alloc(0);
    if (!isAuthentic(file, file.private_blob, mac_key)) throw damaged(key);
    return toPair(key, file, file.private_blob);
  },
  async decrypt(key, passphrase, decrypt) {
    const file = supportedFile(key);
    if (file.private_blob.length === 0 || file.private_blob.length % AES_BLOCK !== 0) throw damaged(key);
    const secrets =
      file.version === 2 ? secretsOfVersion2(passphrase) : await stretch(key, file, { passphrase, decrypt });
    const private_blob = decipher(file.private_blob, secrets);
    if (!isAuthentic(file, private_blob, secrets.mac_key)) throw wrongPassphrase(key);
    return toPair(key, file, private_blob);
  },
};

async function stretch(
  key: KeyText,
  file: PuttyFile,
  { passphrase, decrypt }: { readonly passphrase: string; readonly decrypt: Decrypter },
): Promise<Secrets> {
  const parameters = argon2Parameters(key, file);
  const outcome = await decrypt({ kind: 'argon2', parameters, passphrase });
  if (outcome.kind === 'failed') throw damaged(key, undefined, outcome.cause);
  const bytes = Buffer.from(decryptedText(key, outcome), 'base64');
  return {
    cipher_key: bytes.subarray(0, KEY_BYTES),
    iv: bytes.subarray(KEY_BYTES, KEY_BYTES + AES_BLOCK),
    mac_key: bytes.subarray(KEY_BYTES + AES_BLOCK),
  };
}

function supportedFile(key: KeyText): PuttyFile {
  const file = readPuttyFile(key);
  assertPuttyKind(key, file.kind);
  return file;
}

function toPair(key: KeyText, file: PuttyFile, private_blob: Buffer): KeyPair {
  const { public_blob } = file;
  return {
    private_key: toKeyObject(key, puttyJwk(key, file.kind, { public_blob, private_blob })),
    public_blob,
  };
}

function secretsOfVersion2(passphrase: string): Secrets {
  const sha1 = (...parts: (string | Buffer)[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha1')).digest();
  const halves = [0, 1].map((counter) => sha1(Buffer.from([0, 0, 0, counter]), passphrase));
  return {
    cipher_key: Buffer.concat(halves).subarray(0, KEY_BYTES),
    iv: Buffer.alloc(AES_BLOCK),
    mac_key: sha1('putty-private-key-file-mac-key', passphrase),
  };
}

const ALGORITHMS = ['Argon2d', 'Argon2i', 'Argon2id']; // indexed by type number (RFC 9106 §3.2)

function argon2Parameters(key: KeyText, { header }: PuttyFile): Argon2Parameters {
  const algorithm = ALGORITHMS.indexOf(header('Key-Derivation'));
  if (algorithm < 0) throw damaged(key, 'its key derivation is not Argon2');
  const salt = Buffer.from(header('Argon2-Salt'), 'hex');
  const [memoryCost = 0, timeCost = 0, parallelism = 0] = [
    header('Argon2-Memory'),
    header('Argon2-Passes'),
    header('Argon2-Parallelism'),
  ].map((digits) => (/^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : 0));
  if (memoryCost === 0 || timeCost === 0 || parallelism === 0 || salt.length === 0) throw damaged(key);
  if (memoryCost > MAX_MEMORY_KIB || parallelism > MAX_PARALLELISM || memoryCost * timeCost > MAX_WORK_KIB) {
    throw unreadable(key, tooMuchWork(memoryCost, timeCost, parallelism));
  }
  return { algorithm, memoryCost, timeCost, parallelism, salt, outputLen: SECRET_BYTES };
}

function tooMuchWork(memory_kib: number, passes: number, parallelism: number): string {
  const asked = `${memory_kib} KiB, ${passes} passes, parallelism ${parallelism}`;
  const limits = `${MAX_MEMORY_KIB} KiB, parallelism ${MAX_PARALLELISM}, and ${MAX_WORK_KIB} KiB over all passes`;
  return `, encrypted with Argon2 parameters that cost too much (${asked}): the limits are ${limits}`;
}

function decipher(bytes: Buffer, { cipher_key, iv }: Secrets): Buffer {
  const cipher = createDecipheriv('aes-256-cbc', cipher_key, iv).setAutoPadding(false);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

/** Trailing blanks of the comment are covered by the MAC but may come from pasting, so both variants are tried. */
function isAuthentic(file: PuttyFile, private_blob: Buffer, mac_key: Buffer): boolean {
  return [file.comment, file.comment.trimEnd()].some((comment) => {
    const fields = [file.kind, file.encryption, comment, file.public_blob, private_blob].map(wireString);
    const hmac = createHmac(file.version === 2 ? 'sha1' : 'sha256', mac_key);
    return hmac.update(Buffer.concat(fields)).digest('hex') === file.mac;
  });
}
