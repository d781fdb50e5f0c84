import { isSite, sourcesIn } from '../../lib/network/origins.ts';

export const ORIGINS_LENGTH = 2000;

/** Sites as one text, separated by commas; empty: none. */
export interface Origins {
  readonly kind: 'origins';
  /** `pages`: exact origins. `frames`: the subdomains of a domain and the gateway itself, too. */
  readonly of: 'pages' | 'frames';
  readonly default: string;
  /** An edge reads it, too. */
  readonly variable: 'SERVICE_ALLOWED_ORIGINS' | 'SERVICE_FRAME_ANCESTORS';
}

const WANTED = {
  pages: 'Must be origins such as https://a.example, separated by commas, without a path',
  frames:
    "Must be origins such as https://a.example or https://*.a.example, or 'self', separated by commas, without a path",
};

/** Why an administrator may not set it; the environment may allow more. */
export function originsComplaint({ of }: Origins, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > ORIGINS_LENGTH)
    return `Must be a text of at most ${ORIGINS_LENGTH} characters`;
  const wildcard = of === 'frames';
  const fits = (source: string) => isSite(source, { wildcard }) || (wildcard && source === "'self'");
  return sourcesIn(value).every(fits) ? undefined : WANTED[of];
}
