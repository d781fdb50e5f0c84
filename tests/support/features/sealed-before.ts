import type { Keyring } from '#core/crypto/keyring.ts';
import { toBase64, utf8 } from '#core/lib/bytes/bytes.ts';

/** A secret as versions before row binding stored it. */
export async function sealedBefore({ storage }: Keyring, secret: string, place: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const how = { name: 'AES-GCM', iv, additionalData: utf8(`v1:${storage.id}:${place}`) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(how, storage.key, utf8(secret)));
  return ['v1', storage.id, toBase64(iv), toBase64(sealed)].join(':');
}
