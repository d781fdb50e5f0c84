import { z } from 'zod';
import type { EmbedBounds } from '../embed.ts';
import type { Scope } from './api-key.ts';

/** How somebody came. Audit entries keep it, so a value never changes its meaning. */
export const Transport = z.enum(['page', 'api', 'embed', 'agent']);
export type Transport = z.infer<typeof Transport>;

interface Expiring {
  /** When it expires by itself, as of the request; only of API keys and embedded sessions. */
  readonly expires_at?: string | undefined;
}

interface SessionCredential extends Expiring {
  readonly kind: 'session';
  readonly id: string;
}

interface ApiKeyCredential extends Expiring {
  readonly kind: 'api_key';
  readonly id: number;
}

/** How the caller authenticated. Revoking it ends the terminals opened with it. */
export type Credential = SessionCredential | ApiKeyCredential;

/** A credential as another process of the gateway names it. */
export const NamedCredential = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('session'), id: z.string() }),
  z.object({ kind: z.literal('api_key'), id: z.int() }),
]);

export type CredentialKind = Credential['kind'];
export type CredentialOf<K extends CredentialKind> = Extract<Credential, { readonly kind: K }>;

/** What each kind of credential stands for: a new kind does not compile before every place has decided. */
type Cases<T> = { readonly [K in CredentialKind]: (credential: CredentialOf<K>) => T };

export function byKind<T>(credential: Credential, cases: Cases<T>): T {
  switch (credential.kind) {
    case 'session':
      return cases.session(credential);
    case 'api_key':
      return cases.api_key(credential);
  }
}

const IS_SIGN_IN: Readonly<Record<CredentialKind, boolean>> = { session: true, api_key: false };

/** Whether a person signed in. Programs act within their scopes, and never with a right of the sign-in itself. */
export function isSignIn({ kind }: Credential): boolean {
  return IS_SIGN_IN[kind];
}

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
  readonly via: Transport;
  /** Whether the gateway runs as a demo, whose visitors share one user. */
  readonly in_demo: boolean;
  /** Set for an embedded session, which reaches nothing else. */
  readonly bounds?: EmbedBounds | undefined;
}

export function isSameCredential(a: Credential, b: Credential): boolean {
  return a.kind === b.kind && a.id === b.id;
}
