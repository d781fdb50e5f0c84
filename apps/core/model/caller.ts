import type { Scope } from './api-key.ts';
import type { EmbedBounds } from './embed.ts';

/** How the caller authenticated. Revoking it ends the terminals opened with it. */
export type Credential = (
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'api_key'; readonly id: number }
) & {
  /** When it expires by itself, as of the request; only of API keys and embedded sessions. */
  readonly expires_at?: string | undefined;
};

/** Between password and second factor; there is no session yet. */
export interface PendingSignIn {
  readonly kind: 'pending_2fa';
  readonly id: string;
}

/** The authenticated user, read from the database for every request. */
export interface Caller {
  readonly user_id: number;
  readonly username: string;
  readonly is_admin: boolean;
  readonly allowed_groups: readonly string[];
  readonly must_change_password: boolean;
  readonly credential: Credential | PendingSignIn;
  /** The API key's scopes; a sign-in has all. */
  readonly scopes: readonly Scope[];
  /** Whether the session was signed in to, or confirmed, recently; an API key never is. */
  readonly is_fresh: boolean;
  readonly ip_address: string;
  /** Set for an embedded session, which reaches nothing else. */
  readonly bounds?: EmbedBounds | undefined;
}

export function isSameCredential(a: Credential, b: Credential): boolean {
  return a.kind === b.kind && a.id === b.id;
}
