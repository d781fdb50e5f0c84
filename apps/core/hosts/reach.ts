import type { Caller } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { assertMay } from '../policy/account.ts';
import type { Action } from '../policy/actions.ts';
import { assertMayOn } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';

/** Returns the server if the caller may do this on it: the first line of every verb on one server. */
export type Reach = (caller: Caller, action: Action, server_id: number) => Promise<ServerRow>;

interface Deps {
  readonly servers: Pick<Repositories['servers'], 'byId'>;
}

export function createReach({ servers }: Deps): Reach {
  return async (caller, action, server_id) => {
    assertMay(caller, action); // before the database is asked
    return assertMayOn(caller, action, await servers.byId(server_id));
  };
}
