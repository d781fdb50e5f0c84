import { Fault } from '../errors.ts';
import type { Scope } from '../model/api-key.ts';
import type { Caller, Credential } from '../model/caller.ts';
import { assertEmbedAdmitted, assertUnbounded, type EmbedDemand } from './embed.ts';

export type Access = 'user' | 'admin';

/** Exemptions that a route may declare. */
export type Allowance = 'password_change' | 'pending_2fa' | 'demo_write' | 'token_in_query' | 'metrics_token';

export interface Demand {
  readonly access: Access;
  /** The scope an API key needs; `session` allows no API key, `any` leaves it to the verb. */
  readonly scope: Scope | 'session' | 'any';
  readonly allow: readonly Allowance[];
  /** Whether the session must have been signed in to, or confirmed, recently. */
  readonly fresh: boolean;
  /** The embedded sessions that are admitted; absent: none. */
  readonly embed?: EmbedDemand | undefined;
}

/** Gates on the caller: pending second factor, embedded session, forced password change, kind of token, administrator, scope, freshness. */
export function assertUsable(caller: Caller, { access, scope, allow, fresh, embed }: Demand): void {
  if (caller.credential.kind === 'pending_2fa') {
    if (!allow.includes('pending_2fa')) throw new Fault('pending_2fa');
    return; // a forced password change comes after the second factor
  }
  if (caller.bounds) assertEmbedAdmitted(caller.bounds, embed);
  const is_key = caller.credential.kind === 'api_key';
  if (caller.must_change_password && (is_key || caller.bounds || !allow.includes('password_change'))) {
    throw new Fault('password_change_required');
  }
  if (is_key && scope === 'session') throw new Fault('session_required');
  if (access === 'admin' && !caller.is_admin) throw new Fault('admin_only');
  if (is_key && scope !== 'session' && scope !== 'any') assertScope(caller, scope);
  if (fresh) assertFresh(caller);
}

/** For verbs whose effects outlast the session: a stolen token alone must not be enough. */
export function assertFresh(caller: Caller): void {
  assertUnbounded(caller);
  if (!caller.is_fresh) throw new Fault('step_up_required');
}

/** First line of every verb for administrators, whichever route called it. */
export function assertAdmin(caller: Caller): void {
  assertUnbounded(caller);
  if (!caller.is_admin) throw new Fault('admin_only');
  assertScope(caller, 'admin');
}

/** First line of every verb that needs a sign-in. */
export function assertSession(caller: Caller): void {
  assertUnbounded(caller);
  if (caller.credential.kind !== 'session') throw new Fault('session_required');
}

/** An API key cannot change its owner's sign-in, even with the admin scope. */
export function assertNotOwnerOfKey(caller: Caller, user_id: number): void {
  if (user_id === caller.user_id) assertSession(caller);
}

/** A credential that outlives the request; a pending sign-in has none. */
export function credentialOf(caller: Caller): Credential {
  if (caller.credential.kind === 'pending_2fa') throw new Fault('pending_2fa');
  return caller.credential;
}

/** For verbs whose scope depends on what is asked. */
export function assertScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope)) {
    throw new Fault('scope_missing', `The API key lacks the scope \`${scope}\``);
  }
}
