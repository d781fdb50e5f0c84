import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';

export type Access = 'user' | 'admin';

/** The exemptions that a route may declare, each next to the path it exempts. */
export type Allowance = 'password_change' | 'pending_2fa' | 'demo_write' | 'token_in_query';

/** The caller's own gates: pending second factor, forced password change, administrator. */
export function assertUsable(caller: Caller, access: Access, allow: readonly Allowance[]): void {
  if (caller.pending_2fa && !allow.includes('pending_2fa')) throw new Fault('pending_2fa');
  if (caller.must_change_password && !allow.includes('password_change')) {
    throw new Fault('password_change_required');
  }
  if (access === 'admin') assertAdmin(caller);
}

export function assertAdmin(caller: Caller): void {
  if (!caller.is_admin) throw new Fault('admin_only');
}
