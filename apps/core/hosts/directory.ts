import type { Caller } from '../model/caller.ts';
import { type Server, toServer } from '../model/server.ts';
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
    list: (caller, query) => list.page(visibleGroups(caller), query),
    get: async (caller, id) => toServer(await reach.registered(caller, id)),
    groups: (caller) => servers.groups(visibleGroups(caller)),
  };
}
