import { createHash } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';
import { Fault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { createDecrypter, type Decrypter } from './decrypt.ts';
import { isPkcs8, pkcs8Work, rewritePkcs8 } from './pkcs8.ts';

const MAX_BCRYPT_ROUNDS = 1024; // ssh-keygen takes 24 and people a hundred; a thousand are 15 s of work
// OpenSSL cannot be interrupted: this many iterations of PBKDF2 are about 10 s, and usual are a million at most.
const MAX_PKCS8_WORK = 2 ** 24;
const MAX_REMEMBERED = 64;

export interface PrivateKeyReader {
  /** The key, decrypted; throws `unreadable_private_key` with the reason. */
  read(private_key: string, passphrase: string): Promise<ParsedKey>;
}

/** What took long to decrypt is kept decrypted, in memory only: the next dial finds it by digest. */
export function createPrivateKeyReader(clock: Clock): PrivateKeyReader {
  const decrypt = createDecrypter(clock);
  const remembered = new Map<string, Promise<ParsedKey>>();
  function remember(digest: string, key: Promise<ParsedKey>): void {
    remembered.delete(digest);
    remembered.set(digest, key);
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
  }
  return {
    async read(private_key, passphrase) {
      const text = private_key.trim();
      if (!looksPrivate(text)) throw unreadable('This is not a private key');
      if (!isEncrypted(text)) return readPlain(text);
      const digest = digestOf(text, passphrase);
      const known = remembered.get(digest);
      const key = known ?? readEncrypted(decrypt, text, passphrase);
      remember(digest, key);
      key.catch(() => remembered.get(digest) === key && remembered.delete(digest));
      return key;
    },
  };
}

function digestOf(text: string, passphrase: string): string {
  return createHash('sha256')
    .update(JSON.stringify([text, passphrase]))
    .digest('base64');
}

/** Without a passphrase ssh2 and OpenSSL refuse what is encrypted after all, before any work. */
function readPlain(text: string): ParsedKey {
  const key = parse(text);
  if (key instanceof Error) throw unreadable(reasonFor(text, false), key);
  if (!key.isPrivateKey()) throw unreadable('This is a public key, not a private one');
  return key;
}

async function readEncrypted(decrypt: Decrypter, text: string, passphrase: string): Promise<ParsedKey> {
  if (passphrase === '') throw unreadable('The private key needs its passphrase');
  const rounds = opensshHeader(text)?.rounds ?? 0;
  if (rounds > MAX_BCRYPT_ROUNDS) {
    const detail = `The private key is encrypted with ${rounds} bcrypt rounds: no more than ${MAX_BCRYPT_ROUNDS} are supported`;
    throw unreadable(detail);
  }
  if (pkcs8Work(text) > MAX_PKCS8_WORK) throw unreadable('The private key would take too long to decrypt');
  const outcome = await decrypt(text, passphrase);
  if (outcome.kind === 'overdue') throw unreadable('The private key takes too long to decrypt');
  if (outcome.kind === 'failed') throw unreadable(reasonFor(text, true), outcome.cause);
  return readPlain(outcome.text.trim());
}

function parse(text: string): ParsedKey | Error {
  try {
    const known = isPkcs8(text) ? rewritePkcs8(text) : text;
    const parsed: ParsedKey | ParsedKey[] | Error = ssh2.utils.parseKey(known);
    return Array.isArray(parsed) ? (parsed[0] ?? new Error('No key in the file')) : parsed;
  } catch (error) {
    return error instanceof Error ? error : new Error('Unreadable', { cause: error });
  }
}

function looksPrivate(text: string): boolean {
  return /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text) || text.startsWith('PuTTY-User-Key-File-');
}

function isEncrypted(text: string): boolean {
  if (text.startsWith('-----BEGIN ENCRYPTED ') || text.includes('Proc-Type: 4,ENCRYPTED')) return true;
  const putty = /^Encryption: (\S+)/m.exec(text)?.[1];
  if (putty !== undefined) return putty !== 'none';
  return text.startsWith('-----BEGIN OPENSSH ') && (opensshHeader(text)?.cipher ?? 'none') !== 'none';
}

const OPENSSH_MAGIC = 'openssh-key-v1\0';

interface OpensshHeader {
  readonly cipher: string;
  /** Of bcrypt, which makes the key from the passphrase. */
  readonly rounds: number;
}

/** The beginning of an `openssh-key-v1` blob: cipher, name and options of the key derivation (salt and rounds). */
function opensshHeader(text: string): OpensshHeader | undefined {
  const blob = Buffer.from(text.split('\n').slice(1, -1).join(''), 'base64');
  if (!blob.toString('latin1').startsWith(OPENSSH_MAGIC)) return undefined;
  const [cipher, after_cipher] = readString(blob.subarray(OPENSSH_MAGIC.length));
  const [, after_kdf] = readString(after_cipher);
  const [options] = readString(after_kdf);
  const [, rounds] = readString(options);
  return { cipher: cipher.toString('latin1'), rounds: rounds.length < 4 ? 0 : rounds.readUInt32BE() };
}

/** A length-prefixed string, empty where there is none, and what follows it. */
function readString(bytes: Buffer): [Buffer, Buffer] {
  const end = bytes.length < 4 ? 0 : 4 + bytes.readUInt32BE();
  return [bytes.subarray(4, end), bytes.subarray(end)];
}

function reasonFor(text: string, encrypted: boolean): string {
  if (text.startsWith('PuTTY-User-Key-File-3')) {
    return 'PuTTY version 3 keys are not supported: export the key in OpenSSH format';
  }
  if (text.startsWith('PuTTY-User-Key-File-') && !/^PuTTY-User-Key-File-2: ssh-(rsa|dss)/.test(text)) {
    return 'Of PuTTY keys only RSA and DSA are supported: export the key in OpenSSH format';
  }
  if (encrypted) return 'The passphrase is wrong, or the private key is encrypted in an unsupported way';
  return 'The private key is damaged or of an unsupported format';
}

function unreadable(detail: string, cause?: Error): Fault {
  return new Fault('unreadable_private_key', detail, { cause });
}
