/** Canonical form of a DN (RFC 4514): lower case, NFC, no spaces around separators, numeric escapes. */
export function foldDn(dn: string): string {
  const escaped = dn
    .normalize('NFC')
    .toLowerCase()
    .replace(/\\([ "#+,;<=>\\])/g, (_, character: string) => toEscape(character));
  // The remaining commas are separators, and so is the first equals sign after each.
  const parts = escaped.split(',').map((part) => part.replace(/^ +| +$/g, ''));
  return parts.map((part) => part.replace(/^([^= ]+) *= */, '$1=')).join(',');
}

/** The first type and value of a folded DN, without escapes: `uid=jane`. */
export function namingPartOf(folded: string): string {
  const [part = ''] = folded.split(/[,+]/, 1);
  return part.replace(/\\([2357][0-9a-f])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function toEscape(character: string): string {
  return `\\${character.charCodeAt(0).toString(16)}`;
}
