import { fromBase64, toBase64, utf8 } from '../lib/bytes.ts';
import type { Keyring } from './keyring.ts';

const FORMAT = 'v1';
const NONCE_BYTES = 12; // NIST SP 800-38D §8.2.2

/** Seals secrets at rest. A sealed value is bound to its `purpose`: moved to another column it does not open. */
export interface Vault {
  seal(secret: string, purpose: string): Promise<string>;
  /** Throws when the key, the purpose or a single bit differs. */
  open(sealed: string, purpose: string): Promise<string>;
}

/** Sealed form: `v1:key id:base64 nonce:base64 ciphertext`. */
export function createVault({ storage }: Keyring): Vault {
  const parameters = (nonce: Uint8Array<ArrayBuffer>, purpose: string) => ({
    name: 'AES-GCM',
    iv: nonce,
    additionalData: utf8(`${FORMAT}:${storage.id}:${purpose}`),
  });
  return {
    async seal(secret, purpose) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const sealed = await crypto.subtle.encrypt(parameters(nonce, purpose), storage.key, utf8(secret));
      return [FORMAT, storage.id, toBase64(nonce), toBase64(new Uint8Array(sealed))].join(':');
    },
    async open(sealed, purpose) {
      const [format, id, nonce, ciphertext] = sealed.split(':');
      if (format !== FORMAT || id !== storage.id || !nonce || !ciphertext) {
        throw new Error('Sealed under another key');
      }
      const opened = await crypto.subtle.decrypt(
        parameters(fromBase64(nonce), purpose),
        storage.key,
        fromBase64(ciphertext),
      );
      return new TextDecoder().decode(opened);
    },
  };
}
