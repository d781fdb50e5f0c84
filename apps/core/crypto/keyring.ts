import { toBase64Url, utf8 } from '../lib/bytes/bytes.ts';

/** Separate keys for separate uses, so that a leaked key does not reveal the others. */
export interface Keyring {
  /** HS256 key of session tokens. */
  readonly signing: CryptoKey;
  /** HS256 key for the callers' addresses that one instance forwards to another. */
  readonly forward: CryptoKey;
  /** HS256 key for the addresses of the instances themselves. */
  readonly instances: CryptoKey;
  /** HS256 key of the questions between instances, and AES-256-GCM key of the answers. */
  readonly questions: { readonly signing: CryptoKey; readonly sealing: CryptoKey };
  /** AES-256-GCM key for stored secrets, and the key id that each sealed value carries. */
  readonly storage: { readonly id: string; readonly key: CryptoKey };
  /** HMAC-SHA256 key over the heads of the audit chains. */
  readonly audit: CryptoKey;
  /** HMAC-SHA256 key over audit entries that wait in a file for the database. */
  readonly spool: CryptoKey;
}

/** HKDF-SHA256 (RFC 5869); the labels are part of the storage format and never change. */
export async function createKeyring(secret: string): Promise<Keyring> {
  const root = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveBits']);
  const derive = async (label: string) =>
    new Uint8Array(
      await crypto.subtle.deriveBits(
        { name: 'HKDF', hash: 'SHA-256', salt: utf8('sallyport'), info: utf8(label) },
        root,
        256,
      ),
    );
  const id = toBase64Url((await derive('storage key id v1')).slice(0, 6));
  const storage = await derive('storage v1');
  return {
    signing: await hmacKey(await derive('session tokens v1')),
    forward: await hmacKey(await derive('forwarded addresses v2')),
    instances: await hmacKey(await derive('instance addresses v1')),
    questions: {
      signing: await hmacKey(await derive('instance questions v1')),
      sealing: await sealingKey(await derive('instance answers v1')),
    },
    storage: { id, key: await sealingKey(storage) },
    audit: await hmacKey(await derive('audit heads v1')),
    spool: await hmacKey(await derive('audit spool v1')),
  };
}

function sealingKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

function hmacKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}
