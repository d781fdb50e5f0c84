import { Fault, type FaultCode, toFault } from '../errors.ts';
import type { ServerRow } from '../model/server.ts';
import { assertReach, assertTerminal } from '../policy/server-access.ts';
import type { SessionRegistry, Terminal } from '../terminal/session-registry.ts';
import type { Callers } from './callers.ts';

/** Holds open terminals to what their server has become. */
export interface TerminalRights {
  /** Ends those whose owner may not have them any more, and those still being dialled to the old record. */
  recheck(server: ServerRow): Promise<void>;
}

const REASONS: Partial<Record<FaultCode, string>> = {
  ssh_disabled: 'SSH was disabled for this server',
  server_not_found: 'This server is not open to you any more',
  invalid_token: 'Signed out',
};

interface Deps {
  readonly registry: SessionRegistry;
  readonly callers: Callers;
}

export function createTerminalRights({ registry, callers }: Deps): TerminalRights {
  async function verdict(terminal: Terminal, server: ServerRow): Promise<string | undefined> {
    try {
      const owner = await callers.fromSession(terminal.owner.session_id, '');
      assertTerminal(assertReach(owner, server));
      return terminal.live ? undefined : 'The server was changed while it was being connected to';
    } catch (error) {
      const why = REASONS[toFault(error).code];
      if (why === undefined) throw error; // a database that does not answer takes nobody's rights away
      return why;
    }
  }
  return {
    async recheck(server) {
      for (const terminal of registry.ofServer(server.id)) {
        const why = await verdict(terminal, server);
        if (why) terminal.end(new Fault('terminal_ended', why));
      }
    },
  };
}
