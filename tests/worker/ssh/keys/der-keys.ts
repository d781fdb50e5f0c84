import { createCipheriv, createPrivateKey, pbkdf2Sync } from 'node:crypto';

/** PEM with this label. */
export const lines = (label: string, body = 'AAAA') =>
  `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

export function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), value]);
  const head = length < 256 ? Buffer.of(tag, 0x81, length) : Buffer.of(tag, 0x82, length >> 8, length);
  return Buffer.concat([head, value]);
}

export const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
export const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
export const octets = (bytes: Buffer) => der(0x04, bytes);

export function integer(value: number): Buffer {
  const hex = value.toString(16);
  return unsigned(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'));
}

export function unsigned(number: Buffer): Buffer {
  return der(0x02, (number[0] ?? 0) < 128 ? number : Buffer.concat([Buffer.of(0), number]));
}

const DSA_OID = '2a8648ce380401';
export const DH_OID = '2a864886f70d010301';

/** A PKCS#8 key whose public half is not stored: with numbers of 1000 bytes, OpenSSL computes it for a second, of 2900 for 17 s. */
export function longDsa(bytes = 1000, kind = DSA_OID): Buffer {
  const number = der(0x02, Buffer.concat([Buffer.of(0x7f), Buffer.alloc(bytes, 0xff)]));
  const algorithm = sequence(oid(kind), sequence(number, integer(1), integer(3)));
  return sequence(integer(0), algorithm, octets(number));
}

const PBES2 = '2a864886f70d01050d';
const PBKDF2 = '2a864886f70d01050c';
const HMAC_SHA256 = '2a864886f70d0209';
const AES_256_CBC = '60864801650304012a';
const SALT = Buffer.alloc(8, 1);
const IV = Buffer.alloc(16, 2);

/** An encrypted PKCS#8 key (RFC 8018 §6.2), quick to decrypt; `encode` changes the parameters of its key derivation. */
export function encrypted(
  pkcs8: Buffer,
  passphrase: string,
  encode = (parameters: Buffer) => parameters,
): string {
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(passphrase, SALT, 1, 32, 'sha256'), IV);
  const parameters = sequence(octets(SALT), integer(1), sequence(oid(HMAC_SHA256), der(0x05)));
  const scheme = sequence(sequence(oid(PBKDF2), encode(parameters)), sequence(oid(AES_256_CBC), octets(IV)));
  const bytes = Buffer.concat([cipher.update(pkcs8), cipher.final()]);
  const file = sequence(sequence(oid(PBES2), scheme), octets(bytes));
  return lines('ENCRYPTED PRIVATE KEY', file.toString('base64'));
}

/** The number of this many bits that are all ones. */
export function ones(bits: number): string {
  const hex = ((1n << BigInt(bits)) - 1n).toString(16);
  return Buffer.from(hex.padStart(2 * Math.ceil(bits / 8), '0'), 'hex').toString('base64url');
}

/** The numbers belong to no key, but OpenSSL parses them. */
export function rsaOf(bits: number, changes: Readonly<Record<string, string>> = {}): string {
  const half = ones(bits / 2);
  const numbers = { n: ones(bits), e: 'AQAB', d: ones(bits), p: half, q: half, dp: half, dq: half, qi: half };
  const key = createPrivateKey({ key: { kty: 'RSA', ...numbers, ...changes }, format: 'jwk' });
  return key.export({ type: 'pkcs1', format: 'pem' }).toString();
}
