import { utf8 } from '../lib/bytes.ts';
import type { DeriveKey } from '../ports/outside.ts';

export type DeriveParameters = Parameters<DeriveKey>[1];
type Bytes = Uint8Array<ArrayBuffer>;

/** AES-256-GCM (NIST SP 800-38D) under a key made of a passphrase. `bound` is not hidden, but nobody can change it. */
export interface PassphraseBox {
  close(plain: Bytes, nonce: Bytes, bound: string): Promise<Bytes>;
  /** Undefined when the passphrase differs, or a single bit. */
  open(closed: Bytes, nonce: Bytes, bound: string): Promise<Bytes | undefined>;
}

export async function createPassphraseBox(
  deriveKey: DeriveKey,
  passphrase: string,
  parameters: DeriveParameters,
): Promise<PassphraseBox> {
  // Composed, since keyboards differ in how they write the same accent.
  const raw = await deriveKey(passphrase.normalize('NFC'), parameters);
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const how = (nonce: Bytes, bound: string) => ({
    name: 'AES-GCM',
    iv: nonce,
    additionalData: utf8(bound),
  });
  return {
    close: async (plain, nonce, bound) =>
      new Uint8Array(await crypto.subtle.encrypt(how(nonce, bound), key, plain)),

    async open(closed, nonce, bound) {
      try {
        return new Uint8Array(await crypto.subtle.decrypt(how(nonce, bound), key, closed));
      } catch {
        return undefined; // WebCrypto says no more than that it failed
      }
    },
  };
}
