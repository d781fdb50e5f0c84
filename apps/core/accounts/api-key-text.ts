import { randomToken } from '../lib/bytes.ts';

/** Begins every API key, and no session token. */
export const API_KEY_PREFIX = 'sp_';

const SECRET_BYTES = 32; // 43 characters of base64url
const SHOWN_LENGTH = API_KEY_PREFIX.length + 8; // the other 35 characters stay unguessable

export function newApiKey(): string {
  return API_KEY_PREFIX + randomToken(SECRET_BYTES);
}

export function isApiKey(text: string): boolean {
  return /^sp_[A-Za-z0-9_-]{43}$/.test(text);
}

/** What may be shown and stored of a key. */
export function prefixOfKey(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}
