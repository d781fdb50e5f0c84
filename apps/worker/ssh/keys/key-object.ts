import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import type { Decrypted, Decrypter } from './key-processes.ts';
import { damaged, type KeyText, pemBytes, unopened, unreadable } from './key-text.ts';
import { writeEd25519 } from './openssh-file.ts';
import { isPkcs1, isSec1, pkcs8Kind } from './pkcs8.ts';
import type { Sign } from './signing.ts';

const MIN_RSA_BITS = 2048; // NIST SP 800-131A; shorter ones can be factored
const MAX_RSA_BITS = 8192; // signing with a longer one takes seconds
const MAX_EXPONENT_BYTES = 8; // signing computes with it as well; ssh-keygen uses three
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'nistp256',
  secp384r1: 'nistp384',
  secp521r1: 'nistp521',
};

export interface KeyPair {
  readonly private_key: KeyObject;
  /** The public half stored in the file, if any (RFC 4253 §6.6). */
  readonly public_blob?: Buffer;
}

/** A key that SSH supports, with the form in which ssh2 takes it. */
export interface SshKey {
  readonly private_key: KeyObject;
  readonly parsed: ParsedKey;
}

/** Checks that SSH supports the kind of the key and that its halves match. */
export async function toSshKey(
  key_text: KeyText,
  { private_key: read_key, public_blob }: KeyPair,
  signRsa: Sign,
): Promise<SshKey> {
  assertKind(key_text, read_key);
  const private_key = withTwoPrimes(read_key);
  const parsed = orDamaged(key_text, () => parseText(sshText(private_key)));
  const is_whole = public_blob?.equals(parsed.getPublicSSH()) ?? true;
  if (!is_whole || !(await isMatchingPair(private_key, signRsa)))
    throw damaged(key_text, 'it is damaged, its public and private halves do not match');
  return { private_key, parsed };
}

/** Parses a key with OpenSSL, whose errors mean that it is damaged. */
export function toKeyObject(key_text: KeyText, key: string | JsonWebKey): KeyObject {
  if (typeof key === 'string') assertQuickToParse(key_text, key);
  return orDamaged(key_text, () =>
    typeof key === 'string' ? createPrivateKey(key) : createPrivateKey({ key, format: 'jwk' }),
  );
}

export function orDamaged<T>(key_text: KeyText, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw damaged(key_text, undefined, cause);
  }
}

export function parseText(text: string): ParsedKey {
  const parsed: ParsedKey | ParsedKey[] | Error = ssh2.utils.parseKey(text);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key === undefined || key instanceof Error) throw key ?? new Error('No key in the file');
  return key;
}

function assertKind(key_text: KeyText, key: KeyObject): void {
  const kind = key.asymmetricKeyType ?? 'unknown';
  if (kind === 'rsa') assertRsa(key_text, key);
  else if (kind === 'ec') assertCurve(key_text, key.asymmetricKeyDetails?.namedCurve ?? 'without a name');
  else if (kind !== 'ed25519') throw unsupportedKind(key_text, kind);
}

function assertRsa(key_text: KeyText, key: KeyObject): void {
  // Node converts the public exponent for `asymmetricKeyDetails`, in a time that grows with the square of its length.
  const { e, d, p, q, dp, dq, qi } = key.export({ format: 'jwk' });
  if (lengthOf(e) > MAX_EXPONENT_BYTES) throw tooLong(key_text);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) {
    const limit = bits < MIN_RSA_BITS ? `no less than ${MIN_RSA_BITS}` : `no more than ${MAX_RSA_BITS}`;
    throw unreadable(key_text, `: it is an RSA key of ${bits} bits, and ${limit} are supported`);
  }
  // Signing takes as long as the longest number says, which the modulus does not limit.
  const half_bytes = Math.ceil(bits / 16) + 1;
  const is_usual =
    lengthOf(d) <= 2 * half_bytes && [p, q, dp, dq, qi].every((n) => lengthOf(n) <= half_bytes);
  if (!is_usual) throw tooLong(key_text);
}

function tooLong(key_text: KeyText): Fault {
  return damaged(key_text, 'it is damaged, its numbers are too long');
}

/** An RSA key may have further primes of any length (RFC 8017 §A.1.2), and OpenSSL signs with each. A JWK leaves them out. */
function withTwoPrimes(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'rsa') return key;
  return createPrivateKey({ key: key.export({ format: 'jwk' }), format: 'jwk' });
}

function lengthOf(number: string | undefined): number {
  return Buffer.byteLength(number ?? '', 'base64url');
}

/**
 * OpenSSL judges a key by its content, whatever its label says, and for some kinds, such as DSA, it computes the public half
 * of a PKCS#8 key, which can take minutes.
 */
function assertQuickToParse(key_text: KeyText, pem: string): void {
  const text = pem.trim();
  const bytes = pemBytes({ text });
  if (text.startsWith('-----BEGIN PRIVATE KEY-----')) assertQuickKind(key_text, pkcs8Kind(bytes));
  else if (!(text.startsWith('-----BEGIN RSA ') ? isPkcs1(bytes) : isSec1(bytes))) throw damaged(key_text);
}

function assertQuickKind(key_text: KeyText, kind: string | undefined): void {
  if (kind === undefined) throw damaged(key_text);
  if (kind === 'dsa' || kind === 'unknown') throw unsupportedKind(key_text, kind);
}

function assertCurve(key_text: KeyText, curve: string): void {
  if (Object.hasOwn(CURVES, curve)) return;
  const supported = Object.values(CURVES).join(', ');
  throw unreadable(key_text, `: its curve (${curve}) is not supported, only ${supported} are`);
}

/** `dsa` and `ssh-dss` get the same message. */
export function unsupportedKind(key_text: KeyText, kind: string) {
  if (kind === 'dsa' || kind === 'ssh-dss') return unreadable(key_text, ': DSA keys are not supported');
  return unreadable(key_text, `: keys of the kind ${kind} are not supported`);
}

/** The key in a format that ssh2 reads. */
function sshText(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
  const jwk = key.export({ format: 'jwk' });
  if (key.asymmetricKeyType === 'ed25519') return writeEd25519(jwk);
  // Going through JWK expands a compressed public point, as SSH requires (RFC 5656 §3.1).
  return createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'sec1', format: 'pem' }).toString();
}

const SAMPLE = Buffer.from('sallyport');

/** Verifies a signature to check that the halves match: PEM files hold both and prove neither. */
async function isMatchingPair(key: KeyObject, signRsa: Sign): Promise<boolean> {
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  try {
    const signature =
      key.asymmetricKeyType === 'rsa' ? await signRsa(key, 'sha256', SAMPLE) : sign(hash, SAMPLE, key);
    return verify(hash, SAMPLE, createPublicKey(key), signature);
  } catch (error) {
    if (!isOpenSslError(error)) throw error; // the work was aborted or refused
    return false;
  }
}

function isOpenSslError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_OSSL_');
}

/** Reads keys of one format. */
export interface KeyOpener {
  isEncrypted(key: KeyText): boolean;
  readPlain(key: KeyText): KeyPair;
  decrypt(key: KeyText, passphrase: string, decrypt: Decrypter): Promise<KeyPair>;
}

/** The decrypted text; a key that was intact before can only fail because of its passphrase. */
export function decryptedText(key: KeyText, outcome: Decrypted): string {
  if (outcome.kind === 'overdue') throw unreadable(key, ', encrypted: it takes too long to decrypt');
  if (outcome.kind === 'failed') throw wrongPassphrase(key, outcome.cause);
  return outcome.text;
}

export function wrongPassphrase(key: KeyText, cause?: unknown) {
  return unopened(key, ': the passphrase is wrong', 'The passphrase is wrong', cause);
}
