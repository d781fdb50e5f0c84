import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { CIPHERTEXT_BYTES, ML_KEM, type MlKem, PUBLIC_KEY_BYTES, SEED_BYTES } from './ml-kem.ts';

/** draft-ietf-sshm-mlkem-hybrid-kex: ML-KEM-768 and X25519, so that neither has to be trusted alone. */
export const HYBRID = 'mlkem768x25519-sha256';

const X25519_BYTES = 32;
const INIT_BYTES = PUBLIC_KEY_BYTES + X25519_BYTES;
const REPLY_BYTES = CIPHERTEXT_BYTES + X25519_BYTES;
export const ENTROPY_BYTES = SEED_BYTES + X25519_BYTES;

// RFC 8410: an X25519 key in PKCS#8 and in SubjectPublicKeyInfo.
const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI_HEAD = Buffer.from('302a300506032b656e032100', 'hex');

/** The client's side of an exchange. */
export interface Initiated {
  /** What the client sends. */
  readonly init: Buffer;
  /** The shared secret. Throws for a reply of another length, or one that gives X25519 no secret. */
  secretOf(reply: Buffer): Buffer;
}

export interface HybridOptions {
  readonly kem?: MlKem;
  readonly entropy?: Buffer;
}

export function initiate({
  kem = ML_KEM,
  entropy = randomBytes(ENTROPY_BYTES),
}: HybridOptions = {}): Initiated {
  const keys = kem.keysOf(entropy.subarray(0, SEED_BYTES));
  const own = toPrivateKey(entropy.subarray(SEED_BYTES));
  const init = Buffer.alloc(INIT_BYTES); // not from Node's shared pool: ssh2 keeps it as long as the connection
  init.set(keys.public_key);
  init.set(publicBytes(own), PUBLIC_KEY_BYTES);
  return {
    init,
    secretOf(reply) {
      assertLength(reply, REPLY_BYTES);
      const kem_secret = keys.decapsulate(reply.subarray(0, CIPHERTEXT_BYTES));
      return combine(kem_secret, agree(own, reply.subarray(CIPHERTEXT_BYTES)));
    },
  };
}

/** The server's side of an exchange. */
export interface Responded {
  /** What the server sends. */
  readonly reply: Buffer;
  readonly secret: Buffer;
}

/** Throws for an `init` of another length, or one whose keys are not valid. */
export function respond(init: Buffer, { kem = ML_KEM }: Pick<HybridOptions, 'kem'> = {}): Responded {
  assertLength(init, INIT_BYTES);
  const own = toPrivateKey(randomBytes(X25519_BYTES));
  const { ciphertext, secret } = kem.encapsulate(init.subarray(0, PUBLIC_KEY_BYTES));
  return {
    reply: Buffer.concat([ciphertext, publicBytes(own)]),
    secret: combine(secret, agree(own, init.subarray(PUBLIC_KEY_BYTES))),
  };
}

function combine(kem_secret: Uint8Array, x25519_secret: Buffer): Buffer {
  return createHash('sha256').update(kem_secret).update(x25519_secret).digest();
}

/** RFC 8731 §3: a result of zeros means that the peer's key gives no secret; OpenSSL may or may not refuse it itself. */
function agree(own: KeyObject, peer: Buffer): Buffer {
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_HEAD, peer]), format: 'der', type: 'spki' });
  const secret = diffieHellman({ privateKey: own, publicKey });
  if (secret.every((byte) => byte === 0)) throw new Error('X25519 gives no secret with this key');
  return secret;
}

function assertLength({ length }: Buffer, expected: number): void {
  if (length !== expected) throw new Error(`${HYBRID} takes ${expected} bytes, not ${length}`);
}

function toPrivateKey(bytes: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: 'der', type: 'pkcs8' });
}

function publicBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD.length);
}
