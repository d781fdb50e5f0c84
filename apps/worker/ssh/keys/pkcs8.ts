/**
 * How much work decrypting a PKCS#8 key is, by its own account: the numbers of its key derivation multiplied, which for
 * PBKDF2 are the iterations and for scrypt N, r and p (RFC 8018 §A.2, RFC 7914 §7).
 */
export function pkcs8Work(bytes: Buffer): number {
  const [info] = readDer(bytes);
  const [algorithm] = readDer(info?.value ?? Buffer.alloc(0));
  return algorithm ? multiplied(algorithm) : 1;
}

/** Whether it is an algorithm and something encrypted, nothing cut off and nothing more (RFC 5958 §3). */
export function isWholePkcs8(bytes: Buffer): boolean {
  const [info, ...more] = readDer(bytes);
  const [algorithm, encrypted, ...further] = readDer(info?.value ?? Buffer.alloc(0));
  if (info?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE || encrypted?.tag !== OCTET_STRING) return false;
  return more.length + further.length === 0 && info.whole && encrypted.whole;
}

interface Der {
  readonly tag: number;
  readonly value: Buffer;
  readonly whole: boolean;
}

const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const SEQUENCE = 0x30;

const MAX_DEPTH = 8; // five are usual; what is deeper hides its numbers, or would fill the stack

function multiplied({ tag, value }: Der, depth = 0): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  if (tag === INTEGER) return Math.max(1, Number(`0x${value.toString('hex') || '0'}`));
  if (tag !== SEQUENCE) return 1;
  return readDer(value).reduce((product, element) => product * multiplied(element, depth + 1), 1);
}

/** The elements of a sequence; what is cut off is as short as it is. */
function readDer(bytes: Buffer): Der[] {
  const elements: Der[] = [];
  for (let rest = bytes; rest.length >= 2; ) {
    const [tag = 0, first = 0] = rest;
    const length_bytes = first < 0x80 ? 0 : Math.min(first & 0x7f, 6);
    if (rest.length < 2 + length_bytes) break;
    const length = length_bytes === 0 ? first : rest.readUIntBE(2, length_bytes);
    const begin = 2 + length_bytes;
    const value = rest.subarray(begin, begin + length);
    elements.push({ tag, value, whole: value.length === length });
    rest = rest.subarray(begin + length);
  }
  return elements;
}
