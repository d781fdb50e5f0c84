import { type Fault, toFault } from '../errors.ts';
import { randomToken } from '../lib/bytes.ts';
import { createRepeated } from '../lib/recent.ts';
import type { Caller } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import { credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Ask, PtySize, Shell, Shells } from '../ports/ssh.ts';
import { createLiveSession, type LiveSession, type LiveSessionInfo } from '../terminal/live-session.ts';
import type { SessionRegistry } from '../terminal/session-registry.ts';
import { type AuditTrail, serverLabel } from './audit-trail.ts';
import type { Callers } from './callers.ts';
import type { Connections } from './connections.ts';
import { discretionFor } from './hop-discretion.ts';
import type { Reach } from './reach.ts';

const SAME_REFUSAL_MS = 60_000;

export interface OpenTerminal {
  readonly server_id: number;
  readonly size: PtySize;
  /** Aborted when the asking socket is gone. */
  readonly signal: AbortSignal;
  /** Puts what a host wants to know to the person at the terminal. */
  readonly ask: Ask;
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
  readonly trail: AuditTrail;
  readonly background: Background;
  readonly clock: Clock;
}

export function createTerminals(deps: Deps): Terminals {
  const { repositories, reach, connections, callers, shells, registry, trail, background, clock } = deps;

  const isRepeated = createRepeated(clock, SAME_REFUSAL_MS);

  /** Dialling takes seconds: whoever lost the right meanwhile gets no shell. The last thing asked before it is live. */
  async function assertStillAllowed(caller: Caller, server_id: number): Promise<void> {
    const now = await callers.fromCredential(credentialOf(caller), caller.ip_address);
    await reach.forTerminal(now, server_id);
  }

  async function dial(caller: Caller, server: ServerRow, request: OpenTerminal): Promise<Shell> {
    const discretion = await discretionFor(caller, server, connections);
    try {
      const { ask } = request;
      return await shells.open(await connections.targetOf(server), { ...request, ask: discretion.ask(ask) });
    } catch (error) {
      request.signal.throwIfAborted();
      throw discretion.fault(error);
    }
  }

  async function openShell(caller: Caller, server: ServerRow, request: OpenTerminal): Promise<Shell> {
    const { signal } = request;
    const shell = await dial(caller, server, request);
    try {
      await repositories.servers.touchConnected(server.id, clock.now().toISOString());
      await trail.record(caller, 'terminal_open', serverLabel(server));
      await assertStillAllowed(caller, server.id);
      signal.throwIfAborted();
      return shell;
    } catch (error) {
      shell.close();
      throw error;
    }
  }

  /** Once a minute for the same refusal: whoever asks in a loop must not fill the log. */
  async function refused(caller: Caller, server: { id: number; name: string }, fault: Fault): Promise<void> {
    const subject = fault.code === 'server_not_found' ? 0 : server.id;
    if (isRepeated(JSON.stringify([caller.user_id, caller.ip_address, subject, fault.code]))) return;
    await trail.record(caller, 'terminal_refuse', `${serverLabel(server)}: ${fault.code}`);
  }

  function closed(caller: Caller, server: ServerRow, since: Date): void {
    const seconds = Math.round((clock.now().getTime() - since.getTime()) / 1000);
    const detail = `${serverLabel(server)} after ${seconds} s`;
    background.run('audit the end of a terminal', trail.record(caller, 'terminal_close', detail));
  }

  return {
    async assertMayOpen(caller, server_id) {
      try {
        await reach.forTerminal(caller, server_id);
      } catch (error) {
        await refused(caller, { id: server_id, name: 'server' }, toFault(error));
        throw error;
      }
    },

    async open(caller, request) {
      const server = await reach.forTerminal(caller, request.server_id);
      const info = infoOf(caller, server);
      const ended = new AbortController();
      registry.opening(info, (fault) => ended.abort(fault));
      try {
        const signal = AbortSignal.any([request.signal, ended.signal]);
        const shell = await openShell(caller, server, { ...request, signal });
        const since = clock.now();
        const session = createLiveSession(info, shell, () => {
          registry.remove(info.id);
          closed(caller, server, since);
        });
        registry.opened(session);
        return session;
      } catch (error) {
        registry.remove(info.id);
        if (!request.signal.aborted) await refused(caller, server, toFault(error));
        throw error;
      }
    },
  };
}

function infoOf(caller: Caller, server: ServerRow): LiveSessionInfo {
  const { user_id, username } = caller;
  return {
    id: randomToken(16),
    owner: { user_id, username, credential: credentialOf(caller) },
    server: { id: server.id, name: server.name },
  };
}
