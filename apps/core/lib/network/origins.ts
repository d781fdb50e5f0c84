/** URLs allow `;`, quotes and braces in a host; in a header they would begin something else. */
const SAFE = /^[a-z]+:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/;

/** An origin as browsers send it, such as `https://a.example`. */
export function isOrigin(origin: string): boolean {
  return SAFE.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
}

/** `'self'`, or an origin whose host may start with `*.` (CSP Level 3 §2.3.1). */
export function isFrameAncestor(source: string): boolean {
  return source === "'self'" || isOrigin(source.replace('://*.', '://'));
}

/** The origin of a site on the web; a wildcard, where one is allowed, covers the subdomains of one domain. */
export function isSite(source: string, { wildcard }: { readonly wildcard: boolean }): boolean {
  if (!/^https?:\/\//.test(source)) return false;
  if (!source.includes('*')) return isOrigin(source);
  return wildcard && /^https?:\/\/\*\.[^.*]+\.[^*]+$/.test(source) && isFrameAncestor(source);
}

/** The sources of a list that is one text. */
export function sourcesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((source) => source !== '');
}
