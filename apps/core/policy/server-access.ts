import { Fault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { Server } from '../model/hosts/server.ts';
import { assertMay } from './account.ts';
import { type Action, type Demand, demandOf } from './actions.ts';
import { assertUnbounded, type BoundedFields, withinBounds } from './embed.ts';

type Rights = Pick<Caller, 'is_admin' | 'allowed_groups' | 'bounds'>;

export function visibleGroups(caller: Rights): 'all' | readonly string[] {
  assertUnbounded(caller);
  return caller.is_admin ? 'all' : caller.allowed_groups;
}

export function canReach(caller: Rights, server: Pick<Server, 'group'> & { readonly id?: number }): boolean {
  if (caller.bounds && caller.bounds.server_id !== server.id) return false;
  return caller.is_admin || caller.allowed_groups.includes(server.group);
}

/**
 * Returns the server as the caller may use it. A server outside the caller's groups looks like a missing one; an embedded
 * session sees only what it may use.
 */
export function assertMayOn<T extends BoundedFields>(
  caller: Caller,
  action: Action,
  server: T | undefined,
): T {
  assertMay(caller, action);
  if (!server || !canReach(caller, server)) throw new Fault('server_not_found');
  const bounded = caller.bounds ? withinBounds(caller.bounds, server) : server;
  assertSwitchedOn(bounded, demandOf(action).needs);
  return bounded;
}

function assertSwitchedOn(server: BoundedFields, needs: Demand['needs']): void {
  if (needs === 'ssh' && !server.ssh_enabled) throw new Fault('ssh_disabled');
  if (needs === 'sftp' && !server.sftp_enabled) throw new Fault('sftp_disabled');
  if (needs === 'agent' && !server.agent_enabled) throw new Fault('agent_disabled_for_server');
}
