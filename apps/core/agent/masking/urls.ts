import { MASK } from './rules.ts';

const TOKEN_CHARACTERS = 16; // a user name alone that is this long is more likely a token
const PORT = /^\d{1,5}(?:[/?#]|$)/;

/** Masks the password of `scheme://user:password@host`, and the token of `scheme://token@host`. */
export function maskUrls(text: string): string {
  return text.replaceAll(/[^\s"'<>]+/g, (word) => (word.includes('://') ? maskWord(word) : word));
}

/** Each part between two `://` is looked at once. */
function maskWord(word: string): string {
  const [scheme, ...parts] = word.split('://');
  return [scheme, ...parts.map(maskAuthority)].join('://');
}

function maskAuthority(part: string): string {
  const path = part.search(/[/?#]/);
  const end = path < 0 ? part.length : path;
  const colon = part.slice(0, end).indexOf(':');
  const at = part.lastIndexOf('@', end);
  if (colon < 0 || (at >= 0 && at < colon)) {
    return at >= TOKEN_CHARACTERS ? MASK + part.slice(at) : part;
  }
  if (at > colon) return part.slice(0, colon + 1) + MASK + part.slice(at);
  const later = part.lastIndexOf('@'); // of a password that holds a slash
  if (later < 0 || PORT.test(part.slice(colon + 1, colon + 7))) return part;
  return part.slice(0, colon + 1) + MASK + part.slice(later);
}
