import type { Caller } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import { assertReach, assertSftp, assertTerminal } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';

/** Returns the server if the caller may use it: the first line of every operation on one server. */
export interface Reach {
  registered(caller: Caller, id: number): Promise<ServerRow>;
  forTerminal(caller: Caller, id: number): Promise<ServerRow>;
  forSftp(caller: Caller, id: number): Promise<ServerRow>;
}

export function createReach({ servers }: Pick<Repositories, 'servers'>): Reach {
  const registered = async (caller: Caller, id: number) => assertReach(caller, await servers.byId(id));
  return {
    registered,
    async forTerminal(caller, id) {
      const server = await registered(caller, id);
      assertTerminal(server);
      return server;
    },
    async forSftp(caller, id) {
      const server = await registered(caller, id);
      assertSftp(server);
      return server;
    },
  };
}
