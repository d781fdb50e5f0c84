import { fromBase64, toBase64, utf8 } from '../lib/bytes.ts';
import type { Keyring } from './keyring.ts';

const FORMAT = 'v1';
const NONCE_BYTES = 12; // NIST SP 800-38D §8.2.2

/** Encrypts secrets at rest. A sealed value is bound to its `purpose`, so it cannot be moved to another column. */
export interface Vault {
  /** Id of the key that seals. */
  readonly key_id: string;
  seal(secret: string, purpose: string): Promise<string>;
  /** Throws when the key, the purpose or a single bit differs. */
  open(sealed: string, purpose: string): Promise<string>;
}

/** Sealed form: `v1:key id:base64 nonce:base64 ciphertext`. Also opens values sealed with the previous key. */
export function createVault({ storage }: Keyring, previous?: Keyring): Vault {
  const keys = previous ? [storage, previous.storage] : [storage];
  const parameters = (key_id: string, nonce: Uint8Array<ArrayBuffer>, purpose: string) => ({
    name: 'AES-GCM',
    iv: nonce,
    additionalData: utf8(`${FORMAT}:${key_id}:${purpose}`),
  });
  return {
    key_id: storage.id,

    async seal(secret, purpose) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const how = parameters(storage.id, nonce, purpose);
      const sealed = await crypto.subtle.encrypt(how, storage.key, utf8(secret));
      return [FORMAT, storage.id, toBase64(nonce), toBase64(new Uint8Array(sealed))].join(':');
    },

    async open(sealed, purpose) {
      const [format, id = '', nonce, ciphertext] = sealed.split(':');
      const key = keys.find((one) => one.id === id)?.key;
      if (format !== FORMAT || !key || !nonce || !ciphertext) throw new Error('Sealed under another key');
      const how = parameters(id, fromBase64(nonce), purpose);
      return new TextDecoder().decode(await crypto.subtle.decrypt(how, key, fromBase64(ciphertext)));
    },
  };
}
