import type { Callers } from '../accounts/callers.ts';
import { serverLabel } from '../audit/trail.ts';
import { toFault } from '../errors.ts';
import type { Connections } from '../hosts/connections.ts';
import { hiddenHopsFor } from '../hosts/hidden-hops.ts';
import type { Reach } from '../hosts/reach.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import { assertMayOn } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Shell, Shells } from '../ports/ssh.ts';
import { connectEvent } from '../webhooks/events.ts';
import type { Admission } from './admission.ts';
import type { Opening, ShellRequest, TerminalOpenings } from './opening.ts';
import { terminalOf } from './terminal-kind.ts';

/** Shells on registered servers. */
export interface Terminals {
  /** Throws before dialling if the caller may not open a terminal. */
  assertMayOpen(caller: Caller, server_id: number): Promise<ServerRow>;
  /** `server` is what `assertMayOpen` has just returned, or the id of one that may have changed since. */
  open(caller: Caller, server: ServerRow | number, request: ShellRequest): Promise<Admission>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly reach: Reach;
  readonly connections: Connections;
  readonly callers: Callers;
  readonly shells: Shells;
  readonly openings: TerminalOpenings;
  readonly clock: Clock;
}

type Dial = Parameters<Opening['dial']>[0];

export function createTerminals(deps: Deps): Terminals {
  const { repositories, reach, connections, callers, shells, openings, clock } = deps;

  async function dial(caller: Caller, server: ServerRow, request: Dial): Promise<Shell> {
    const hidden_hops = await hiddenHopsFor(caller, server, connections);
    try {
      const { ask, secured } = request;
      const target = { ...(await connections.targetOf(server)), user_id: caller.user_id };
      const terminal = terminalOf(server);
      return await shells.open(target, {
        ...{ ...request, terminal },
        ...{ ask: hidden_hops.ask(ask), secured: hidden_hops.secured(secured) },
      });
    } catch (error) {
      request.signal.throwIfAborted();
      throw hidden_hops.fault(error);
    }
  }

  function openingOf(caller: Caller, server: ServerRow): Opening {
    return {
      server,
      label: serverLabel(server),
      record_sessions: server.record_sessions,
      event: connectEvent(caller, server),
      dial: (request) => dial(caller, server, request),
      async settle() {
        const server_now = await repositories.servers.touchConnected(server.id, clock.now().toISOString());
        // Dialling takes seconds: check again that the caller still has access.
        const caller_now = await callers.fromCredential(credentialOf(caller), caller.ip_address);
        assertMayOn(caller_now, 'open_terminal', server_now);
        return {};
      },
    };
  }

  return {
    async assertMayOpen(caller, server_id) {
      assertMay(caller, 'open_terminal'); // only refusals about the server are recorded
      try {
        return await reach(caller, 'open_terminal', server_id);
      } catch (error) {
        const fault = toFault(error);
        const label = serverLabel({ id: server_id, name: 'server' });
        const is_guess = fault.code === 'server_not_found'; // guesses must not fill the log
        await openings.refused(caller, { label, fault, ...(is_guess && { subject: 'unknown' }) });
        throw error;
      }
    },

    async open(caller, asked, request) {
      const server =
        typeof asked === 'number'
          ? await reach(caller, 'open_terminal', asked)
          : assertMayOn(caller, 'open_terminal', asked);
      return openings.open(caller, openingOf(caller, server), request);
    },
  };
}
