import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import type { Server } from '../model/server.ts';
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

/** A server outside the caller's groups looks like a missing one; an embedded session sees only what it may use. */
export function assertReach<T extends BoundedFields>(caller: Caller, server: T | undefined): T {
  if (!server || !canReach(caller, server)) throw new Fault('server_not_found');
  return caller.bounds ? withinBounds(caller.bounds, server) : server;
}

export function assertTerminal(server: Pick<Server, 'ssh_enabled'>): void {
  if (!server.ssh_enabled) throw new Fault('ssh_disabled');
}

export function assertSftp(server: Pick<Server, 'sftp_enabled'>): void {
  if (!server.sftp_enabled) throw new Fault('sftp_disabled');
}

export function assertAgent(server: Pick<Server, 'agent_enabled'>): void {
  if (!server.agent_enabled) throw new Fault('agent_disabled_for_server');
}
