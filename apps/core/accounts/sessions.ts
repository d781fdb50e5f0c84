import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import { userLabel } from '../model/accounts/user.ts';
import type { WebSession, WebSessionRow } from '../model/accounts/web-session.ts';
import { embedLabel, toBounds } from '../model/embed.ts';
import type { Server } from '../model/hosts/server.ts';
import { assertMay, assertNotOwnerOfKey } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { WebSessions } from './web-sessions.ts';

/** The caller's browser sessions. */
export interface Sessions {
  list(caller: Caller): Promise<WebSession[]>;
  logout(caller: Caller): Promise<void>;
  end(caller: Caller, id: string): Promise<void>;
  /** Signs out everywhere, or everywhere else with `keep_current`. */
  endAll(caller: Caller, keep_current: boolean): Promise<void>;
  listOf(caller: Caller, user_id: number): Promise<WebSession[]>;
  endAllOf(caller: Caller, user_id: number): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users' | 'web_sessions' | 'servers'>;
  readonly web_sessions: WebSessions;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  /** Visitors of the demo share one user but must not see each other's sessions. */
  readonly demo_mode: boolean;
}

export function createSessions(deps: Deps): Sessions {
  const { repositories, web_sessions, trail, clock, demo_mode } = deps;

  async function sessionsOf(caller: Caller, user_id: number): Promise<WebSession[]> {
    const rows = await repositories.web_sessions.ofUser(user_id, clock.now().toISOString());
    const server_ids = new Set(rows.flatMap(({ embed }) => embed?.server_id ?? []));
    const servers = await repositories.servers.byIds([...server_ids]);
    const shown = rows.map((row) => toWebSession(row, caller, servers));
    return demo_mode ? shown.filter(({ current }) => current) : shown;
  }

  async function existing(user_id: number) {
    const user = await repositories.users.byId(user_id);
    if (!user) throw new Fault('user_not_found');
    return user;
  }

  return {
    async list(caller) {
      assertMay(caller, 'read_own_sign_ins');
      return sessionsOf(caller, caller.user_id);
    },

    async logout(caller) {
      assertMay(caller, 'change_own_sessions');
      await web_sessions.end(caller.user_id, String(caller.credential.id));
      await trail.record(caller, 'logout', '');
    },

    async end(caller, id) {
      assertMay(caller, 'change_own_sessions');
      const ended = await web_sessions.end(caller.user_id, id);
      if (!ended) throw new Fault('session_not_found');
      await trail.record(caller, 'session_revoke', `an own session: ${describe(ended)}`);
    },

    async endAll(caller, keep_current) {
      assertMay(caller, 'change_own_sessions');
      const { user_id, credential } = caller;
      const ended = keep_current
        ? web_sessions.endOthers(user_id, String(credential.id))
        : web_sessions.endAll(user_id);
      const which = keep_current ? 'all other own sessions' : 'all own sessions';
      await trail.record(caller, 'session_revoke', `${which}: ${await ended}`);
    },

    async listOf(caller, user_id) {
      assertMay(caller, 'read_administration');
      assertNotOwnerOfKey(caller, user_id);
      await existing(user_id);
      return sessionsOf(caller, user_id);
    },

    async endAllOf(caller, user_id) {
      assertMay(caller, 'administer_confirmed');
      const user = await existing(user_id);
      const count = await web_sessions.endAll(user_id);
      await trail.record(caller, 'session_revoke', `all sessions of ${userLabel(user)}: ${count}`);
    },
  };
}

const SHOWN_ID_LENGTH = 8; // enough to tell sessions apart

function describe({ id, created_at, ip_address, embed }: WebSessionRow): string {
  const what = embed ? `embedded ${embedLabel(embed)}, ` : '';
  return `${what}${id.slice(0, SHOWN_ID_LENGTH)}… from ${ip_address}, started ${created_at}`;
}

function toWebSession(
  row: WebSessionRow,
  { credential }: Caller,
  servers: readonly Pick<Server, 'id' | 'name'>[],
): WebSession {
  const { id, created_at, last_seen_at, ip_address, user_agent, embed } = row;
  const server = servers.find((one) => one.id === embed?.server_id);
  return {
    id,
    created_at,
    last_seen_at,
    ip_address,
    user_agent,
    current: credential.kind === 'session' && credential.id === id,
    embed: embed && { ...toBounds(embed), server_name: server?.name ?? '' },
  };
}
