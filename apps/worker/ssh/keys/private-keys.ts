import { createHash } from 'node:crypto';
import type { ParsedKey } from 'ssh2';
import type { Clock } from '#core/ports/runtime.ts';
import { createDecrypter } from './decrypt.ts';
import type { KeyOpener } from './key-object.ts';
import { toParsedKey } from './key-object.ts';
import { type KeyText, recognizeKey, unreadable } from './key-text.ts';
import { createOpensshOpener } from './openssh-keys.ts';
import { createPemOpener } from './pem-keys.ts';
import { createPuttyOpener } from './putty.ts';

const MAX_REMEMBERED = 64;

export interface PrivateKeyReader {
  /** The decrypted key; throws `unreadable_private_key` with its format and the reason. */
  read(private_key: string, passphrase: string): Promise<ParsedKey>;
}

/** Caches decrypted keys in memory, by digest, because decryption is slow. */
export function createPrivateKeyReader(clock: Clock): PrivateKeyReader {
  const openers = createOpeners(clock);
  const remembered = new Map<string, Promise<ParsedKey>>();
  function remember(digest: string, key: Promise<ParsedKey>): void {
    remembered.delete(digest);
    remembered.set(digest, key);
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
  }
  return {
    async read(private_key, passphrase) {
      const key_text = recognizeKey(private_key);
      const opener = openers[key_text.kind];
      if (!opener.isEncrypted(key_text)) return toParsedKey(key_text, opener.readPlain(key_text));
      const digest = digestOf(key_text.text, passphrase);
      const known = remembered.get(digest);
      const key = known ?? readEncrypted(opener, key_text, passphrase);
      remember(digest, key);
      key.catch(() => remembered.get(digest) === key && remembered.delete(digest));
      return key;
    },
  };
}

function createOpeners(clock: Clock): Readonly<Record<KeyText['kind'], KeyOpener>> {
  const decrypt = createDecrypter(clock);
  return {
    openssh: createOpensshOpener(decrypt),
    pem: createPemOpener(decrypt),
    putty: createPuttyOpener(decrypt),
  };
}

function digestOf(text: string, passphrase: string): string {
  return createHash('sha256')
    .update(JSON.stringify([text, passphrase]))
    .digest('base64');
}

async function readEncrypted(opener: KeyOpener, key_text: KeyText, passphrase: string): Promise<ParsedKey> {
  if (passphrase === '') throw unreadable(key_text, ', encrypted: it needs its passphrase');
  return toParsedKey(key_text, await opener.decrypt(key_text, passphrase));
}
