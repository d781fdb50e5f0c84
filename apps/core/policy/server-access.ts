import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import type { Server } from '../model/server.ts';

export function visibleGroups(
  caller: Pick<Caller, 'is_admin' | 'allowed_groups'>,
): 'all' | readonly string[] {
  return caller.is_admin ? 'all' : caller.allowed_groups;
}

export function canReach(
  caller: Pick<Caller, 'is_admin' | 'allowed_groups'>,
  server: Pick<Server, 'group'>,
): boolean {
  return caller.is_admin || caller.allowed_groups.includes(server.group);
}

/** A server outside the caller's groups looks like a missing one. */
export function assertReach<T extends Pick<Server, 'group'>>(caller: Caller, server: T | undefined): T {
  if (!server || !canReach(caller, server)) throw new Fault('server_not_found');
  return server;
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
