import { fromBase64, toBase64, utf8 } from '../lib/bytes/bytes.ts';
import type { Keyring } from './keyring.ts';

const FORM = 'v2';
export const OLD_FORM = 'v1'; // bound to its column only
const NONCE_BYTES = 12; // NIST SP 800-38D §8.2.2

/** Encrypts secrets at rest. A sealed value is bound to its column and its row, so it cannot be moved. */
export interface Vault {
  /** The start of every value that this vault seals. */
  readonly prefix: string;
  seal(secret: string, place: string, id: number): Promise<string>;
  /** Throws when the key, the place, the row or a single bit differs. */
  open(sealed: string, place: string, id: number): Promise<string>;
}

/** Sealed form: `v2:key id:base64 nonce:base64 ciphertext`. Also opens values sealed with the previous key. */
export function createVault({ storage }: Keyring, previous?: Keyring): Vault {
  const open = createOpener(FORM, [storage, previous?.storage]);
  return {
    prefix: `${FORM}:${storage.id}:`,

    async seal(secret, place, id) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const how = { name: 'AES-GCM', iv: nonce, additionalData: boundTo(FORM, storage.id, rowOf(place, id)) };
      const sealed = await crypto.subtle.encrypt(how, storage.key, utf8(secret));
      return [FORM, storage.id, toBase64(nonce), toBase64(new Uint8Array(sealed))].join(':');
    },

    open: (sealed, place, id) => open(sealed, rowOf(place, id)),
  };
}

/** Opens values that a version before row binding has sealed. Only for sealing them anew. */
export type OldVault = (sealed: string, place: string) => Promise<string>;

export function createOldVault({ storage }: Keyring, previous?: Keyring): OldVault {
  return createOpener(OLD_FORM, [storage, previous?.storage]);
}

type StorageKey = Keyring['storage'];

function createOpener(form: string, keys: readonly (StorageKey | undefined)[]) {
  return async (sealed: string, bound: string): Promise<string> => {
    const [found_form, id = '', nonce, ciphertext] = sealed.split(':');
    const key = keys.find((one) => one?.id === id)?.key;
    if (found_form !== form || !key || !nonce || !ciphertext) throw new Error('Sealed under another key');
    const how = { name: 'AES-GCM', iv: fromBase64(nonce), additionalData: boundTo(form, id, bound) };
    return new TextDecoder().decode(await crypto.subtle.decrypt(how, key, fromBase64(ciphertext)));
  };
}

/** The additional authenticated data; part of the storage format. */
function boundTo(form: string, key_id: string, bound: string): Uint8Array<ArrayBuffer> {
  return utf8(`${form}:${key_id}:${bound}`);
}

function rowOf(place: string, id: number): string {
  return `${place}:${id}`;
}
