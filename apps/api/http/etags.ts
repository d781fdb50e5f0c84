/** Whether `If-None-Match` names the ETag: a weak comparison (RFC 9110 §8.8.3.2). */
export function matchesAny(if_none_match: string | undefined, etag: string): boolean {
  return listed(if_none_match).some((tag) => tag === '*' || opaque(tag) === opaque(etag));
}

/** Whether `If-Match` names the ETag: a strong comparison, which no weak ETag passes. */
export function matchesStrongly(if_match: string, etag: string): boolean {
  return listed(if_match).some((tag) => tag === '*' || (tag === etag && !tag.startsWith('W/')));
}

function listed(header = ''): string[] {
  return header.split(',').map((tag) => tag.trim());
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
