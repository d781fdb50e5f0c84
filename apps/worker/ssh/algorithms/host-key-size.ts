import { unsigned } from './groups.ts';

const MAX_RSA_BITS = 8192;
const MAX_EXPONENT_BITS = 64; // ssh-keygen uses 17
const MAX_BLOB_BYTES = 1280; // the largest that is not RSA: DSA with 3072 bits

/** Why a host key is too large to be verified on the event loop; undefined when it is not. */
export function oversized(blob: Buffer): string | undefined {
  const [kind, exponent, modulus] = strings(blob);
  if (kind?.toString('latin1') !== 'ssh-rsa') {
    return blob.length > MAX_BLOB_BYTES ? `a host key of ${blob.length} bytes` : undefined;
  }
  const bits = bitsOf(modulus);
  if (bits > MAX_RSA_BITS) return `an RSA host key of ${bits} bits (${MAX_RSA_BITS} at most)`;
  return bitsOf(exponent) > MAX_EXPONENT_BITS ? 'an RSA host key with a long exponent' : undefined;
}

function bitsOf(mpint: Buffer | undefined): number {
  const bytes = mpint && unsigned(mpint);
  return bytes?.[0] === undefined ? 0 : bytes.length * 8 - (Math.clz32(bytes[0]) - 24);
}

/** The first strings of a blob (RFC 4251 §5); fewer when the bytes end too soon. */
export function strings(blob: Buffer, count = 3): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  while (found.length < count && at + 4 <= blob.length) {
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) break;
    found.push(blob.subarray(at + 4, end));
    at = end;
  }
  return found;
}
