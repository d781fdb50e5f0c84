import { randomToken } from '../lib/bytes.ts';
import type { Caller } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { PtySize, Shell, Shells } from '../ports/ssh.ts';
import { createLiveSession, type LiveSession } from '../terminal/live-session.ts';
import type { SessionRegistry } from '../terminal/session-registry.ts';
import type { Callers } from './callers.ts';
import type { Connections } from './connections.ts';
import type { Reach } from './reach.ts';

export interface OpenTerminal {
  readonly server_id: number;
  readonly size: PtySize;
  /** Aborted when the asking socket is gone. */
  readonly signal: AbortSignal;
}

export interface Terminals {
  /** Refuses at once what may not be opened, before anything is dialled. */
  assertMayOpen(caller: Caller, server_id: number): Promise<void>;
  open(caller: Caller, request: OpenTerminal): Promise<LiveSession>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly reach: Reach;
  readonly connections: Connections;
  readonly callers: Callers;
  readonly shells: Shells;
  readonly registry: SessionRegistry;
  readonly clock: Clock;
}

export function createTerminals(deps: Deps): Terminals {
  const { repositories, reach, connections, callers, shells, registry, clock } = deps;

  /** Dialling takes seconds: whoever lost the right meanwhile gets no shell. */
  async function stillAllowed(caller: Caller, server_id: number): Promise<ServerRow> {
    const now = await callers.fromSession(caller.session_id, caller.ip_address);
    return reach.forTerminal(now, server_id);
  }

  function register(caller: Caller, server: ServerRow, shell: Shell): LiveSession {
    const { user_id, username, session_id } = caller;
    const info = {
      id: randomToken(16),
      owner: { user_id, username, session_id },
      server: { id: server.id, name: server.name },
    };
    const session = createLiveSession(info, shell, () => registry.remove(info.id));
    registry.add(session);
    return session;
  }

  return {
    async assertMayOpen(caller, server_id) {
      await reach.forTerminal(caller, server_id);
    },

    async open(caller, { server_id, size, signal }) {
      const server = await reach.forTerminal(caller, server_id);
      const shell = await shells.open(await connections.targetOf(server), size, signal);
      try {
        await stillAllowed(caller, server_id);
        await repositories.servers.touchConnected(server_id, clock.now().toISOString());
        signal.throwIfAborted();
        return register(caller, server, shell);
      } catch (error) {
        shell.close();
        throw error;
      }
    },
  };
}
