import type { User } from '../../app/session.ts';
import { compareNaturally } from '../../lib/match/natural.ts';
import type { Server } from '../servers.ts';
import type { ShownStatus } from '../status/status.ts';

/** A group with what is in it. */
export interface Group {
  /** Empty for the servers without a group. */
  readonly name: string;
  readonly servers: readonly Server[];
  /** The users who have this group. */
  readonly users: readonly User[];
}

/** Sorts groups naturally, servers without a group last. Includes groups that only users have: they may be mistyped. */
export function gatherGroups(servers: readonly Server[], users: readonly User[]): Group[] {
  const groups = new Map<string, { servers: Server[]; users: User[] }>();
  const groupOf = (name: string) => {
    const group = groups.get(name) ?? { servers: [], users: [] };
    groups.set(name, group);
    return group;
  };
  for (const server of servers) groupOf(server.group).servers.push(server);
  for (const user of users) for (const name of user.allowed_groups) groupOf(name).users.push(user);
  return [...groups]
    .map(([name, group]) => ({ name, ...group }))
    .sort(
      (one, other) =>
        Number(one.name === '') - Number(other.name === '') || compareNaturally(one.name, other.name),
    );
}

export function groupNamed(name: string, servers: readonly Server[], users: readonly User[]): Group {
  return {
    name,
    servers: servers.filter(({ group }) => group === name),
    users: users.filter(({ allowed_groups }) => allowed_groups.includes(name)),
  };
}

/** The address of a group's page; the list of groups without a name. */
export function groupPath(is_admin: boolean, name?: string): string {
  const base = is_admin ? '/admin/groups' : '/account/groups';
  return name === undefined ? base : `${base}?group=${encodeURIComponent(name)}`;
}

export type State = ShownStatus['status'];

/** By severity: what needs attention comes first. */
export const STATE_ORDER: readonly State[] = ['offline', 'unknown', 'unchecked', 'online'];

/** The states that occur, worst first, each with its number of servers. */
export function countStates(
  servers: readonly Server[],
  stateOf: (server_id: number) => State,
): readonly { readonly state: State; readonly count: number }[] {
  return STATE_ORDER.map((state) => ({
    state,
    count: servers.filter(({ id }) => stateOf(id) === state).length,
  })).filter(({ count }) => count > 0);
}
