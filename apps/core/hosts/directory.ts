import type { Caller } from '../model/caller.ts';
import { type Server, type ServerFilter, toServer } from '../model/server.ts';
import { visibleGroups } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Reach } from './reach.ts';

/** The servers that a caller may see. */
export interface ServerDirectory {
  list(caller: Caller, filter: ServerFilter): Promise<Server[]>;
  get(caller: Caller, id: number): Promise<Server>;
  groups(caller: Caller): Promise<string[]>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly reach: Reach;
}

export function createServerDirectory({ repositories, reach }: Deps): ServerDirectory {
  const { servers } = repositories;
  return {
    async list(caller, filter) {
      const rows = await servers.list(visibleGroups(caller), filter);
      return rows.map(toServer);
    },
    get: async (caller, id) => toServer(await reach.registered(caller, id)),
    groups: (caller) => servers.groups(visibleGroups(caller)),
  };
}
