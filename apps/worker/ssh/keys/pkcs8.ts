/**
 * The cost of decrypting a PKCS#8 key: the product of its key derivation parameters, which are the iterations of PBKDF2
 * or N, r and p of scrypt (RFC 8018 §A.2, RFC 7914 §7). Throws where OpenSSL could read other numbers.
 */
export function pkcs8Work(bytes: Buffer): number {
  const [info] = readDer(bytes);
  const [algorithm] = readDer(info?.value ?? Buffer.alloc(0));
  return algorithm ? multiplied(algorithm) : 1;
}

/** Whether it holds exactly an algorithm and the encrypted data, and is not truncated (RFC 5958 §3). */
export function isWholePkcs8(bytes: Buffer): boolean {
  const [info, ...more] = readDer(bytes);
  const [algorithm, encrypted, ...further] = readDer(info?.value ?? Buffer.alloc(0));
  if (info?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE || encrypted?.tag !== OCTET_STRING) return false;
  return more.length + further.length === 0 && info.whole && encrypted.whole;
}

// The kinds whose public half is quick to compute, or stored; and DSA, for its message.
const KINDS: Readonly<Record<string, string>> = {
  '2a864886f70d010101': 'rsa',
  '2a864886f70d01010a': 'rsa-pss',
  '2a8648ce3d0201': 'ec',
  '2b6570': 'ed25519',
  '2b6571': 'ed448',
  '2b656e': 'x25519',
  '2b656f': 'x448',
  '2a8648ce380401': 'dsa',
};

/** The kind of an unencrypted PKCS#8 key (RFC 5958 §2); undefined for anything but strict DER. */
export function pkcs8Kind(bytes: Buffer): string | undefined {
  const key = strictDer(bytes, SEQUENCE);
  if (!key || key.rest.length > 0) return undefined;
  const version = strictDer(key.value, INTEGER);
  const algorithm = version && strictDer(version.rest, SEQUENCE);
  const oid = algorithm && strictDer(algorithm.value, OBJECT_IDENTIFIER);
  return oid && (KINDS[oid.value.toString('hex')] ?? 'unknown');
}

/** Whether it is an RSA key of two primes (RFC 8017 §A.1.2). OpenSSL would read a PKCS#8 key in its place. */
export function isPkcs1(bytes: Buffer): boolean {
  return isVersioned(bytes, 0, INTEGER);
}

/** Whether it is an elliptic curve key (RFC 5915 §3). OpenSSL would read a PKCS#8 key in its place. */
export function isSec1(bytes: Buffer): boolean {
  return isVersioned(bytes, 1, OCTET_STRING);
}

/** A sequence of this version, followed by an element with this tag. */
function isVersioned(bytes: Buffer, version: number, next: number): boolean {
  const key = strictDer(bytes, SEQUENCE);
  const found = key?.rest.length === 0 ? strictDer(key.value, INTEGER) : undefined;
  const is_version = found?.value.length === 1 && found.value[0] === version;
  return is_version && strictDer(found.rest, next) !== undefined;
}

/** The first element; undefined unless it has this tag and its length is definite, as short as possible and true. */
function strictDer(
  bytes: Buffer,
  tag: number,
): { readonly value: Buffer; readonly rest: Buffer } | undefined {
  const [first_tag, first = 0x80] = bytes;
  const length_bytes = first < 0x80 ? 0 : first & 0x7f;
  const begin = 2 + length_bytes;
  if (first_tag !== tag || first === 0x80 || length_bytes > 4 || bytes.length < begin) return undefined;
  const length = length_bytes === 0 ? first : bytes.readUIntBE(2, length_bytes);
  const is_shortest = length_bytes === 0 || length >= Math.max(0x80, 2 ** (8 * (length_bytes - 1)));
  if (!is_shortest || begin + length > bytes.length) return undefined;
  return { value: bytes.subarray(begin, begin + length), rest: bytes.subarray(begin + length) };
}

interface Der {
  readonly tag: number;
  readonly value: Buffer;
  readonly whole: boolean;
}

const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;

const MAX_DEPTH = 8; // five levels are usual; deeper nesting could hide parameters or overflow the stack

function multiplied({ tag, value }: Der, depth = 0): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  if (tag === INTEGER) return Math.max(1, Number(`0x${value.toString('hex') || '0'}`));
  if (tag !== SEQUENCE) return 1;
  return readDer(value).reduce((product, element) => product * multiplied(element, depth + 1), 1);
}

const MULTI_BYTE_TAG = 0x1f; // in its low bits; no key has one, but OpenSSL reads it, even for a plain number
const INDEFINITE = 0x80; // in place of a length; in BER only
const MAX_LENGTH_BYTES = 6; // that a JavaScript number holds

/** The elements of a sequence; a truncated one keeps the bytes it has. */
function readDer(bytes: Buffer): Der[] {
  const elements: Der[] = [];
  for (let rest = bytes; rest.length >= 2; ) {
    const [tag = 0, first = 0] = rest;
    const length_bytes = first < 0x80 ? 0 : first & 0x7f;
    const is_multi_byte = (tag & MULTI_BYTE_TAG) === MULTI_BYTE_TAG;
    if (is_multi_byte || first === INDEFINITE || length_bytes > MAX_LENGTH_BYTES)
      throw new RangeError('Not DER');
    if (rest.length < 2 + length_bytes) break;
    const length = length_bytes === 0 ? first : rest.readUIntBE(2, length_bytes);
    const begin = 2 + length_bytes;
    const value = rest.subarray(begin, begin + length);
    elements.push({ tag, value, whole: value.length === length });
    rest = rest.subarray(begin + length);
  }
  return elements;
}
