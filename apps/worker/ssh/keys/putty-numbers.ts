import type { JsonWebKey } from 'node:crypto';
import { orDamaged, unsupportedKind } from './key-object.ts';
import { type KeyText, unreadable } from './key-text.ts';
import { readWire, type WireReader } from './wire.ts';

interface Blobs {
  readonly public_blob: Buffer;
  readonly private_blob: Buffer;
}

interface Wires {
  readonly open: WireReader;
  readonly secret: WireReader;
}

const curve = (crv: string, bytes: number) => (wires: Wires) => ecJwk(wires, crv, bytes);

/** How the numbers of each kind are stored in the two blobs (PuTTY manual, appendix C.3). */
const KINDS: Readonly<Record<string, (wires: Wires) => JsonWebKey>> = {
  'ssh-rsa': rsaJwk,
  'ssh-ed25519': ed25519Jwk,
  'ecdsa-sha2-nistp256': curve('P-256', 32),
  'ecdsa-sha2-nistp384': curve('P-384', 48),
  'ecdsa-sha2-nistp521': curve('P-521', 66),
};

export function assertPuttyKind(key: KeyText, kind: string): void {
  if (Object.hasOwn(KINDS, kind)) return;
  if (kind.includes('-cert-v0')) throw unreadable(key, ` with a certificate (${kind}): save it without`);
  throw unsupportedKind(key, kind);
}

export function puttyJwk(key: KeyText, kind: string, { public_blob, private_blob }: Blobs): JsonWebKey {
  return orDamaged(key, () => {
    const [open, secret] = [readWire(public_blob), readWire(private_blob)];
    const toJwk = KINDS[kind];
    if (!toJwk || open.string().toString('latin1') !== kind) throw new RangeError('Another kind');
    return toJwk({ open, secret });
  });
}

function rsaJwk({ open, secret }: Wires): JsonWebKey {
  const [e, n] = [open.string(), open.string()];
  const [d, p, q, qi] = [secret.string(), secret.string(), secret.string(), secret.string()];
  const [dp, dq] = [remainder(d, p), remainder(d, q)];
  return { kty: 'RSA', ...base64url({ e, n, d, p, q, qi, dp, dq }) };
}

/** The exponent for one prime, which the file omits (RFC 8017 §3.2). */
function remainder(exponent: Buffer, prime: Buffer): Buffer {
  const hex = (toBigInt(exponent) % (toBigInt(prime) - 1n)).toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

function toBigInt(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

function ed25519Jwk({ open, secret }: Wires): JsonWebKey {
  return { kty: 'OKP', crv: 'Ed25519', ...base64url({ x: open.string(), d: secret.string() }) };
}

const UNCOMPRESSED = 0x04;

function ecJwk({ open, secret }: Wires, crv: string, bytes: number): JsonWebKey {
  open.string(); // the curve, which the kind also names
  const point = open.string();
  if (point[0] !== UNCOMPRESSED || point.length !== 1 + 2 * bytes) throw new RangeError('Not a point');
  const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)];
  return { kty: 'EC', crv, ...base64url({ x, y, d: fixed(secret.string(), bytes) }) };
}

/** A number padded to a fixed length; SSH writes it as short as possible, with a zero before a high bit. */
function fixed(number: Buffer, bytes: number): Buffer {
  const padded = Buffer.concat([Buffer.alloc(bytes), number]);
  return padded.subarray(padded.length - bytes);
}

function base64url(numbers: Readonly<Record<string, Buffer>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, bytes]) => [name, bytes.toString('base64url')]),
  );
}
