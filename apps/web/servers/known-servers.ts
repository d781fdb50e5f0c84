import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createContext, createMemo, untrack, useContext } from 'solid-js';
import { unwrap } from 'solid-js/store';
import { useApp } from '../app/context.ts';
import type { Surroundings } from './find/find.ts';
import type { ServerQuery } from './find/query.ts';
import { indexServers, type ServerIndex } from './find/server-index.ts';
import { createOwnLists, type OwnLists } from './own-lists.ts';
import { type Server, serversQuery } from './servers.ts';
import type { StatusWatch } from './status/status.ts';

/** The servers of the user, prepared for searching once for the rail, the palette and every picker. */
export interface KnownServers {
  readonly query: {
    readonly isPending: boolean;
    readonly isError: boolean;
    readonly error: unknown;
    refetch(): unknown;
  };
  /** Undefined until the servers have been loaded. */
  readonly index: Accessor<ServerIndex | undefined>;
  /** In natural order of their names; undefined until they have been loaded. */
  readonly servers: Accessor<readonly Server[] | undefined>;
  serverOf(server_id: number): Server | undefined;
  readonly own: OwnLists;
  /** What a query needs to know; the states only if it asks for them, as they change all the time. */
  surroundingsOf(query: ServerQuery): Surroundings;
}

export function createKnownServers(user_id: number, { states }: StatusWatch): KnownServers {
  const { client } = useApp();
  const query = useQuery(() => serversQuery(client));
  const own = createOwnLists(user_id);
  /** Copies, read without tracking: thousands of servers would be tens of thousands of subscriptions. */
  const index = createMemo<ServerIndex | undefined>((before) => {
    if (query.dataUpdatedAt === 0) return undefined;
    const servers = untrack(() => unwrap(query.data))?.map((server) => ({ ...server }));
    return servers && indexServers(servers, before);
  });
  const servers = createMemo(() => index()?.list.map(({ server }) => server));
  return {
    query,
    index,
    servers,
    serverOf: (server_id) => index()?.by_id.get(server_id)?.server,
    own,
    surroundingsOf(asked) {
      const favorites = new Set(own.favorites());
      const stateOf = asked.states.length > 0 ? states() : () => 'unknown';
      return { stateOf, isFavorite: (id) => favorites.has(id), recents: own.recents() };
    },
  };
}

const Context = createContext<KnownServers>();
export const KnownServersProvider = Context.Provider;

export function useKnownServers(): KnownServers {
  const known = useContext(Context);
  if (!known) throw new Error('Outside the workspace');
  return known;
}
