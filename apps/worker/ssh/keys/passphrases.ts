import type { Decrypted } from './decrypt.ts';
import type { KeyPair } from './key-object.ts';
import { type KeyText, unreadable } from './key-text.ts';

/** How keys of one form are read. */
export interface KeyOpener {
  isEncrypted(key: KeyText): boolean;
  readPlain(key: KeyText): KeyPair;
  decrypt(key: KeyText, passphrase: string): Promise<KeyPair>;
}

/** What came of a job; a key that was found whole before can only fail for its passphrase. */
export function encryptedText(key: KeyText, outcome: Decrypted): string {
  if (outcome.kind === 'overdue') throw unreadable(key, ', encrypted: it takes too long to decrypt');
  if (outcome.kind === 'failed') throw wrongPassphrase(key, outcome.cause);
  return outcome.text;
}

export function wrongPassphrase(key: KeyText, cause?: unknown) {
  return unreadable(key, ': the passphrase is wrong', cause);
}
