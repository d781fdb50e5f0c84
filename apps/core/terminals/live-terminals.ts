import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { TerminalSession, TerminalSessionRow } from '../model/terminal.ts';
import { assertMay } from '../policy/account.ts';
import { ownsSession } from '../policy/session-access.ts';
import type { SessionLedger } from './ledger.ts';
import type { LiveSession } from './live/live-session.ts';
import { labelOf } from './shares.ts';

/** Running terminals. */
export interface LiveTerminals {
  /** The caller's own, or all for administrators unless they want only their own. */
  list(caller: Caller, wanted?: { readonly is_own: boolean }): Promise<TerminalSession[]>;
  /** Throws `session_not_found` for another user's session, unless the caller is an administrator. */
  end(caller: Caller, session: LiveSession): Promise<void>;
}

interface Deps {
  readonly ledger: SessionLedger;
  readonly activities: ActivityRegistry<LiveSession>;
  readonly trail: AuditTrail;
  readonly demo_mode: boolean;
}

export function createLiveTerminals({ ledger, activities, trail, demo_mode }: Deps): LiveTerminals {
  /** All visitors of a demo share one user, so each sees only their own sessions. */
  function isShown(caller: Caller, { id }: TerminalSessionRow): boolean {
    if (!demo_mode) return true;
    const session = activities.session(id);
    return session !== undefined && ownsSession(caller, session, demo_mode);
  }

  return {
    async list(caller, { is_own } = { is_own: false }) {
      assertMay(caller, 'read');
      const sees_all = !is_own && caller.is_admin && caller.scopes.includes('admin');
      const rows = await ledger.list(sees_all ? undefined : caller.user_id);
      return rows.filter((row) => isShown(caller, row)).map((row) => toTerminalSession(row, caller));
    },

    async end(caller, session) {
      assertMay(caller, 'end_terminal');
      const is_own = ownsSession(caller, session, demo_mode);
      const may = is_own || (caller.is_admin && caller.scopes.includes('admin'));
      if (!may) throw new Fault('session_not_found');
      await trail.record(caller, 'terminal_end', labelOf(session));
      session.end(new Fault('terminal_ended', is_own ? 'Ended by the owner' : 'Ended by an administrator'));
    },
  };
}

function toTerminalSession(row: TerminalSessionRow, caller: Caller): TerminalSession {
  const { id, server_id, server_name, username, last_activity, participants, recording } = row;
  return {
    id,
    server_id,
    server_name,
    username,
    started_at: row.started_at ?? last_activity,
    last_activity,
    participants,
    recording,
    own: row.user_id === caller.user_id,
  };
}
