import type { Caller } from '../model/accounts/caller.ts';
import { type Server, toServer } from '../model/hosts/server.ts';
import { assertMay } from '../policy/account.ts';
import { visibleGroups } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Reach } from './reach.ts';
import {
  createServerList,
  type ServerListOptions,
  type ServerPage,
  type ServerQuery,
} from './server-list.ts';

/** The servers that a caller may see. */
export interface ServerDirectory {
  /** Ordered by name; `search` matches name, hostname and description, ignoring case. */
  list(caller: Caller, query: ServerQuery): Promise<ServerPage>;
  get(caller: Caller, id: number): Promise<Server>;
  groups(caller: Caller): Promise<string[]>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly reach: Reach;
}

export function createServerDirectory(
  { repositories, reach }: Deps,
  options: ServerListOptions,
): ServerDirectory {
  const { servers } = repositories;
  const list = createServerList(servers, options);
  return {
    async list(caller, query) {
      assertMay(caller, 'read');
      return list.page(visibleGroups(caller), query);
    },
    get: async (caller, id) => toServer(await reach(caller, 'read', id)),
    async groups(caller) {
      assertMay(caller, 'read');
      return servers.groups(visibleGroups(caller));
    },
  };
}
