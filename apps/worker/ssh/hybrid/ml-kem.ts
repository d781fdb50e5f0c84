import crypto, { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';

export const PUBLIC_KEY_BYTES = 1184;
export const CIPHERTEXT_BYTES = 1088;
export const SEED_BYTES = 64; // d, then z (FIPS 203 §7.1)

export interface KemKeys {
  readonly public_key: Uint8Array;
  /** The secret of a ciphertext of the right length; that of a wrong ciphertext differs from the sender's. */
  decapsulate(ciphertext: Uint8Array): Uint8Array;
}

/** ML-KEM-768 (FIPS 203). */
export interface MlKem {
  keysOf(seed: Uint8Array): KemKeys;
  /** Throws for a public key that no seed yields. */
  encapsulate(public_key: Uint8Array): { readonly ciphertext: Uint8Array; readonly secret: Uint8Array };
}

export const NOBLE: MlKem = {
  keysOf(seed) {
    const { publicKey: public_key, secretKey } = ml_kem768.keygen(seed);
    return { public_key, decapsulate: (ciphertext) => ml_kem768.decapsulate(ciphertext, secretKey) };
  },
  encapsulate(public_key) {
    const { cipherText: ciphertext, sharedSecret: secret } = ml_kem768.encapsulate(public_key);
    return { ciphertext, secret };
  },
};

/** What Node has from 24.7 on, with OpenSSL 3.5. */
interface NodeKem {
  encapsulate(key: KeyObject): { readonly sharedKey: Buffer; readonly ciphertext: Buffer };
  decapsulate(key: KeyObject, ciphertext: Uint8Array): Buffer;
}

// RFC 9935: the keys of ML-KEM-768 in SubjectPublicKeyInfo, and in PKCS#8 as a seed.
const SPKI_HEAD = Buffer.from('308204b2300b0609608648016503040402038204a100', 'hex');
const PKCS8_HEAD = Buffer.from('3054020100300b060960864801650304040204428040', 'hex');

function createNodeKem({ encapsulate, decapsulate }: NodeKem): MlKem {
  return {
    keysOf(seed) {
      const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
      const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
      return {
        public_key: spki.subarray(SPKI_HEAD.length),
        decapsulate: (ciphertext) => decapsulate(key, ciphertext),
      };
    },
    encapsulate(public_key) {
      const spki = Buffer.concat([SPKI_HEAD, public_key]);
      const { ciphertext, sharedKey } = encapsulate(
        createPublicKey({ key: spki, format: 'der', type: 'spki' }),
      );
      return { ciphertext, secret: sharedKey };
    },
  };
}

/** Undefined if this Node or its OpenSSL has no ML-KEM. */
function findNodeKem(): MlKem | undefined {
  if (!('encapsulate' in crypto && 'decapsulate' in crypto)) return undefined;
  const kem = createNodeKem(crypto as unknown as NodeKem);
  try {
    kem.keysOf(Buffer.alloc(SEED_BYTES));
    return kem;
  } catch {
    return undefined;
  }
}

export const NODE = findNodeKem();

/** Node's own is ten times faster. */
export const ML_KEM: MlKem = NODE ?? NOBLE;
