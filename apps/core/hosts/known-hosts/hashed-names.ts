import { toBase64, utf8 } from '../../lib/bytes/bytes.ts';

const AT_ONCE = 256; // HMACs per batch; more would delay other requests

/** HMAC-SHA1 of a name, as `ssh-keygen -H` writes it. */
export interface HashedName {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly hash: Uint8Array<ArrayBuffer>;
}

interface Entry {
  readonly hashed?: HashedName;
}

interface Salted<E> {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly by_hash: Map<string, E[]>;
  key?: Promise<CryptoKey>;
}

/** Each salt costs one HMAC per name. */
export function saltCount(entries: readonly Entry[]): number {
  return bySalt(entries).length;
}

/** Finds the entries with the hash of a name. */
export function createHashedNames<E extends Entry>(entries: readonly E[]): (name: string) => Promise<E[]> {
  const all = bySalt(entries);
  return async function entriesOf(name) {
    const bytes = utf8(name);
    const found: E[] = [];
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = await Promise.all(all.slice(at, at + AT_ONCE).map((salted) => lookUp(salted, bytes)));
      found.push(...some.flat());
    }
    return found;
  };
}

async function lookUp<E>(salted: Salted<E>, name: Uint8Array<ArrayBuffer>): Promise<E[]> {
  salted.key ??= importKey(salted.salt);
  const hash = await crypto.subtle.sign('HMAC', await salted.key, name);
  return salted.by_hash.get(toBase64(new Uint8Array(hash))) ?? [];
}

function importKey(salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', salt, { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']);
}

function bySalt<E extends Entry>(entries: readonly E[]): Salted<E>[] {
  const groups = new Map<string, Salted<E>>();
  for (const entry of entries) {
    if (!entry.hashed) continue;
    const salt = toBase64(entry.hashed.salt);
    const group = groups.get(salt) ?? { salt: entry.hashed.salt, by_hash: new Map<string, E[]>() };
    const hash = toBase64(entry.hashed.hash);
    const same = group.by_hash.get(hash) ?? [];
    same.push(entry);
    group.by_hash.set(hash, same);
    groups.set(salt, group);
  }
  return [...groups.values()];
}
