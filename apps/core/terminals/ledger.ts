import { createKeyedLimiter } from '../lib/limiter.ts';
import type { InForce } from '../model/setting.ts';
import type { TerminalSessionRow } from '../model/terminal.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { LiveSession, LiveSessionInfo } from './live/live-session.ts';
import type { SessionRegistry } from './live/registry.ts';

// Longer silent than that, this instance counts as gone, and the others have cleared its rows away.
const FORGOTTEN_AFTER_MS = 25_000;
const MOST_UNWRITTEN = 10_000;

/** What other instances know of this one's sessions. */
export interface SessionLedger {
  /** Before anything is dialled; `too_many_sessions`. */
  reserve(info: LiveSessionInfo): Promise<void>;
  begin(session: LiveSession): Promise<void>;
  setShare(session_id: string, share_digest: string | null): Promise<void>;
  /** The shell is over. */
  finish(session_id: string): void;
  /** Nobody can come back for it. */
  remove(session_id: string): void;
  /** Must be written down, and is tried again while the database is away; of one `line`, each after the one before. */
  later(what: string, write: () => Promise<void>, line: string): void;
  /** Writes down what has changed since the last time. */
  refresh(): Promise<void>;
  /** All that run, as fresh as they can be known here. */
  list(user_id: number | undefined): Promise<TerminalSessionRow[]>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'terminal_sessions'>;
  readonly registry: SessionRegistry;
  readonly clock: Clock;
  readonly background: Background;
  readonly run_id: string;
  readonly settings: InForce<'max_sessions_per_user'>;
}

export function createSessionLedger(deps: Deps): SessionLedger {
  const { repositories, registry, clock, background, run_id, settings } = deps;
  const { terminal_sessions } = repositories;
  const told = new Map<string, string>(); // what was written last
  const digests = new Map<string, string>(); // of shares
  const oneAtATime = createKeyedLimiter(1);
  const unwritten: Parameters<SessionLedger['later']>[] = [];
  const stuck = new Set<string>(); // lines whose first is among those
  let refreshed_ms = 0;
  let refreshing: Promise<void> | undefined;

  const identityOf = ({ id, owner, server }: LiveSessionInfo) => ({
    id,
    run_id,
    user_id: owner.user_id,
    username: owner.username,
    server_id: server.id,
    server_name: server.name,
    share_digest: digests.get(id) ?? null,
    over: false,
  });

  const rowOf = (session: LiveSession): TerminalSessionRow => ({
    ...identityOf(session),
    ...newsOf(session),
    started_at: session.started_at.toISOString(),
  });

  const later: SessionLedger['later'] = (what, write, line) => {
    const keep = () => {
      if (unwritten.length >= MOST_UNWRITTEN) throw new Error('Too much is unwritten');
      unwritten.push([what, write, line]);
      stuck.add(line);
    };
    const written = oneAtATime(line, async () => {
      if (stuck.has(line)) return keep();
      await write().catch((error: unknown) => {
        keep();
        throw error;
      });
    });
    background.run(what, written);
  };
  const finish = (id: string) => later('finish a terminal', () => terminal_sessions.finish(id), id);
  const remove = (id: string) => later('forget a terminal', () => terminal_sessions.remove(id), id);

  async function writeNews(): Promise<void> {
    const now_ms = clock.elapsed_ms();
    if (now_ms - refreshed_ms > FORGOTTEN_AFTER_MS) told.clear();
    refreshed_ms = now_ms;
    const rows = registry.sessions().map(rowOf);
    const changed = rows.filter((row) => told.get(row.id) !== JSON.stringify(row));
    try {
      if (changed.length > 0) await terminal_sessions.refresh(changed);
      for (const row of changed) if (registry.session(row.id)) told.set(row.id, JSON.stringify(row));
    } finally {
      for (const { id } of changed) endAgain(id); // also when it was written and its answer was lost
    }
  }

  /** Of what has ended meanwhile its row may have been written after its end. */
  function endAgain(id: string): void {
    const session = registry.session(id);
    if (!session) remove(id);
    else if (session.is_over) finish(id);
  }

  return {
    reserve: (info) =>
      terminal_sessions.insert(
        {
          ...identityOf(info),
          started_at: null,
          last_activity: clock.now().toISOString(),
          participants: 0,
          recording: false,
        },
        settings.values.max_sessions_per_user || undefined,
      ),

    begin: ({ id, started_at, is_recorded }) =>
      terminal_sessions.begin(id, { started_at: started_at.toISOString(), recording: is_recorded }),

    async setShare(session_id, share_digest) {
      if (share_digest === null) digests.delete(session_id);
      else digests.set(session_id, share_digest);
      const write = () => terminal_sessions.setShare(session_id, digests.get(session_id) ?? null);
      await oneAtATime(session_id, write); // an older one must not come last; a refresh that does is followed by another
    },

    finish(session_id) {
      told.delete(session_id);
      digests.delete(session_id);
      finish(session_id);
    },

    remove(session_id) {
      told.delete(session_id);
      digests.delete(session_id);
      remove(session_id);
    },

    later,

    async refresh() {
      stuck.clear();
      for (const again of unwritten.splice(0)) later(...again);
      refreshing ??= writeNews().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },

    async list(user_id) {
      const rows = await terminal_sessions.list(user_id);
      return rows.map((row) => {
        const session = registry.session(row.id);
        return session ? { ...row, ...newsOf(session) } : row;
      });
    },
  };
}

function newsOf({ last_activity, participants, is_recorded }: LiveSession) {
  return { last_activity: last_activity.toISOString(), participants, recording: is_recorded };
}
