import { Fault } from '../errors.ts';
import type { Scope } from '../model/accounts/api-key.ts';
import { type Caller, type Credential, isSignIn } from '../model/accounts/caller.ts';
import { type Action, type Demand, demandOf } from './actions.ts';
import { assertEmbedAdmitted, assertUnbounded } from './embed.ts';

/**
 * First line of every verb, whichever transport called it; `reach` asks it for verbs on one server. It needs no clock: the
 * caller, its freshness included, is read from the database for each request.
 */
export function assertMay(caller: Caller, action: Action): void {
  assertMeets(caller, demandOf(action));
}

/** Checks, in this order: demo mode, pending second factor, embedded session, forced password change, kind of token, administrator, scope, freshness. */
export function assertMeets(caller: Caller, demand: Demand): void {
  const { access, scope, allow = [], fresh = false, embed } = demand;
  assertDemo(caller.in_demo, demand);
  if (caller.credential.kind === 'pending_2fa') {
    if (!allow.includes('pending_2fa')) throw new Fault('pending_2fa');
    return; // a forced password change comes after the second factor
  }
  if (caller.bounds) assertEmbedAdmitted(caller.bounds, embed);
  const is_key = !isSignIn(caller.credential);
  if (caller.must_change_password && (is_key || caller.bounds || !allow.includes('password_change'))) {
    throw new Fault('password_change_required');
  }
  if (is_key && scope === 'session') throw new Fault('session_required');
  if (access === 'admin' && !caller.is_admin) throw new Fault('admin_only');
  if (is_key && scope !== 'session' && scope !== 'any') assertScope(caller, scope);
  if (fresh) assertFresh(caller);
}

/** Nobody changes anything in a demo; a transport may ask this before it knows the caller. */
export function assertDemo(in_demo: boolean, { demo = false }: Pick<Demand, 'demo'>): void {
  if (in_demo && !demo) throw new Fault('demo_mode');
}

/** For verbs whose effects outlast the session: a stolen token alone must not be enough. */
export function assertFresh(caller: Caller): void {
  assertUnbounded(caller);
  if (!caller.is_fresh) throw new Fault('step_up_required');
}

/** For what only administrators may do inside a verb that others use, too. */
export function assertAdmin(caller: Caller): void {
  assertUnbounded(caller);
  if (!caller.is_admin) throw new Fault('admin_only');
  assertScope(caller, 'admin');
}

/** An API key cannot see or change its owner's sign-in, even with the admin scope. */
export function assertNotOwnerOfKey(caller: Caller, user_id: number): void {
  if (user_id === caller.user_id && !isSignIn(credentialOf(caller))) throw new Fault('session_required');
}

/** A credential that outlives the request; a pending sign-in has none. */
export function credentialOf(caller: Caller): Credential {
  if (caller.credential.kind === 'pending_2fa') throw new Fault('pending_2fa');
  return caller.credential;
}

function assertScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope)) {
    throw new Fault('scope_missing', `The API key lacks the scope \`${scope}\``);
  }
}
