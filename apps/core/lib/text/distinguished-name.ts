import { fold } from './fold.ts';

/** Canonical form of a DN (RFC 4514): lower case, NFC, no spaces around separators, numeric escapes. */
export function foldDn(dn: string): string {
  const escaped = fold(dn).replace(/\\([ "#+,;<=>\\])/g, (_, character: string) => toEscape(character));
  // The remaining commas are separators, and so is the first equals sign after each.
  const parts = escaped.split(',').map(withoutSpaces);
  return parts.map((part) => part.replace(/^([^= ]+) *= */, '$1=')).join(',');
}

/** The first type and value of a folded DN, without escapes: `uid=jane`. */
export function namingPartOf(folded: string): string {
  const [part = ''] = folded.split(/[,+]/, 1);
  return part.replace(/\\([2357][0-9a-f])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Without spaces around it; a regular expression would take quadratic time for a run of them. */
function withoutSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}

function toEscape(character: string): string {
  return `\\${character.charCodeAt(0).toString(16)}`;
}
