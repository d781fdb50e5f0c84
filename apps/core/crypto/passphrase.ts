import { utf8 } from '../lib/bytes/bytes.ts';
import { normalized } from '../lib/text/fold.ts';
import type { DeriveKey } from '../ports/outside.ts';

export type DeriveParameters = Parameters<DeriveKey>[1];
type Bytes = Uint8Array<ArrayBuffer>;

/** AES-256-GCM (NIST SP 800-38D) with a key derived from a passphrase. `bound` is authenticated but not encrypted. */
export interface PassphraseBox {
  close(plain: Bytes, nonce: Bytes, bound: string): Promise<Bytes>;
  /** Undefined when the passphrase is wrong or any bit differs. */
  open(closed: Bytes, nonce: Bytes, bound: string): Promise<Bytes | undefined>;
}

export async function createPassphraseBox(
  deriveKey: DeriveKey,
  passphrase: string,
  parameters: DeriveParameters,
): Promise<PassphraseBox> {
  // NFC: keyboards encode the same accent differently.
  const raw = await deriveKey(normalized(passphrase), parameters);
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
        return undefined; // WebCrypto gives no reason
      }
    },
  };
}
