import type { Reach } from '../hosts/reach.ts';
import type { Caller } from '../model/accounts/caller.ts';
import {
  type ServerStatus,
  type ServerStatuses as Statuses,
  toServerStatus,
  UNCHECKED,
} from '../model/hosts/server-status.ts';
import { assertMay } from '../policy/account.ts';
import { visibleGroups } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';

/** Stored statuses of the servers that a caller may reach. */
export interface ServerStatuses {
  list(caller: Caller): Promise<Statuses>;
  get(caller: Caller, id: number): Promise<ServerStatus>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'server_statuses'>;
  readonly reach: Reach;
}

export function createServerStatuses({ repositories, reach }: Deps): ServerStatuses {
  const { server_statuses } = repositories;
  return {
    async list(caller) {
      assertMay(caller, 'read');
      const rows = await server_statuses.list(visibleGroups(caller));
      return Object.fromEntries(rows.map((row) => [String(row.server_id), toServerStatus(row)]));
    },

    async get(caller, id) {
      const server = await reach(caller, 'read', id);
      const row = await server_statuses.byServer(server.id);
      return row ? toServerStatus(row) : UNCHECKED;
    },
  };
}
