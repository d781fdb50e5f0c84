import { Fault } from '../errors.ts';
import type { Scope } from '../model/api-key.ts';
import type { Caller, Credential } from '../model/caller.ts';

export type Access = 'user' | 'admin';

/** The exemptions that a route may declare, each next to the path it exempts. */
export type Allowance = 'password_change' | 'pending_2fa' | 'demo_write' | 'token_in_query' | 'metrics_token';

export interface Demand {
  readonly access: Access;
  /** What an API key must be allowed; `session`: no key may. */
  readonly scope: Scope | 'session';
  readonly allow: readonly Allowance[];
}

/** The caller's own gates: pending second factor, forced password change, kind of token, administrator, scope. */
export function assertUsable(caller: Caller, { access, scope, allow }: Demand): void {
  if (caller.credential.kind === 'pending_2fa') {
    if (!allow.includes('pending_2fa')) throw new Fault('pending_2fa');
    return; // a password change that is due waits for the sign-in to be complete
  }
  const is_key = caller.credential.kind === 'api_key';
  if (caller.must_change_password && (is_key || !allow.includes('password_change'))) {
    throw new Fault('password_change_required');
  }
  if (is_key && scope === 'session') throw new Fault('session_required');
  if (access === 'admin' && !caller.is_admin) throw new Fault('admin_only');
  if (is_key && scope !== 'session') assertScope(caller, scope);
}

/** First line of what only administrators may do, whichever route led there. */
export function assertAdmin(caller: Caller): void {
  if (!caller.is_admin) throw new Fault('admin_only');
  assertScope(caller, 'admin');
}

/** First line of what is managed with a session token alone. */
export function assertSession(caller: Caller): void {
  if (caller.credential.kind !== 'session') throw new Fault('session_required');
}

/** A key has no hold on the sign-in of its owner, also where administrators may do it to others. */
export function assertNotOwnerOfKey(caller: Caller, user_id: number): void {
  if (user_id === caller.user_id) assertSession(caller);
}

/** What lasts longer than the call itself: a pending sign-in has nothing of the kind. */
export function credentialOf(caller: Caller): Credential {
  if (caller.credential.kind === 'pending_2fa') throw new Fault('pending_2fa');
  return caller.credential;
}

function assertScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope)) {
    throw new Fault('scope_missing', `The API key lacks the scope \`${scope}\``);
  }
}
