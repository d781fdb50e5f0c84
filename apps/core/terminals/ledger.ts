import type { ActivityInfo } from '../activities/activity.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import { createGiveWay } from '../lib/concurrency/give-way.ts';
import { createKeyedLimiter } from '../lib/concurrency/limiter.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { TerminalSessionRow } from '../model/terminal.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { LiveSession } from './live/live-session.ts';

const MOST_UNWRITTEN = 10_000;
const WRITTEN_AT_ONCE = 200; // an embedded database holds the event loop while it writes

/** Stores this instance's sessions for other instances to see. */
export interface SessionLedger {
  /** Called before dialling; throws `too_many_sessions` or `too_many_dials`. */
  reserve(info: ActivityInfo, max_dials?: number): Promise<void>;
  begin(session: LiveSession): Promise<void>;
  /** Makes a session of an earlier instance one of this instance, with the share that this one knows of. */
  adopt(session: LiveSession): Promise<void>;
  setShare(session_id: string, share_digest: string | null): Promise<void>;
  /** The share of a session that is about to be adopted. */
  knowShare(session_id: string, share_digest: string): void;
  /** The shell has ended. */
  finish(session_id: string): void;
  /** The session can no longer be resumed. */
  remove(session_id: string): void;
  /** Writes in order within one `queue_key`, and retries with the next refresh after a database error. */
  later(what: string, write: () => Promise<void>, queue_key: string): void;
  /** Stores what has changed since the last refresh; everything if others may have removed the rows. */
  refresh(is_forgotten?: boolean): Promise<void>;
  /** All running sessions, with the latest values where this process runs them. */
  list(user_id: number | undefined): Promise<TerminalSessionRow[]>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'terminal_sessions'>;
  readonly activities: ActivityRegistry<LiveSession>;
  readonly clock: Clock;
  readonly background: Background;
  readonly run_id: string;
  readonly settings: InForce<'max_sessions_per_user'>;
}

export function createSessionLedger(deps: Deps): SessionLedger {
  const { repositories, activities, clock, background, run_id, settings } = deps;
  const { terminal_sessions } = repositories;
  const stored = new Map<string, string>(); // what was stored last
  const digests = new Map<string, string>(); // of shares
  const oneAtATime = createKeyedLimiter(1);
  const unwritten: Parameters<SessionLedger['later']>[] = [];
  const stuck = new Set<string>(); // queue keys with an unwritten entry
  const leaving = new Set<string>(); // sessions whose row will be removed
  let refreshing: Promise<void> | undefined;

  const identityOf = ({ id, owner, server }: ActivityInfo) => ({
    id,
    run_id,
    user_id: owner.user_id,
    username: owner.username,
    server_id: server.id,
    server_name: server.name,
    share_digest: digests.get(id) ?? null,
    over: false,
    kept_ms: null,
    kept_until: null,
  });

  const rowOf = (session: LiveSession): TerminalSessionRow => ({
    ...identityOf(session),
    ...activityOf(session),
    kept_ms: session.is_kept ? session.resume_ms : null,
    started_at: session.started_at.toISOString(),
  });

  const later: SessionLedger['later'] = (what, write, queue_key) => {
    const keep = () => {
      if (unwritten.length >= MOST_UNWRITTEN)
        throw new Error('Too many terminal changes are waiting for the database');
      unwritten.push([what, write, queue_key]);
      stuck.add(queue_key);
    };
    const written = oneAtATime(queue_key, async () => {
      if (stuck.has(queue_key)) return keep();
      await write().catch((error: unknown) => {
        keep();
        throw error;
      });
    });
    background.run(what, written);
  };
  const finish = (id: string) =>
    later(
      'store the end of a terminal',
      async () => {
        await Promise.resolve(); // when the owner has left, the removal follows at once, and needs no end before it
        if (!leaving.has(id)) await terminal_sessions.finish(id);
      },
      id,
    );
  const remove = (id: string) => {
    leaving.add(id);
    later('remove a terminal', () => terminal_sessions.remove(id).then(() => void leaving.delete(id)), id);
  };

  async function writeChanges(): Promise<void> {
    const giveWay = createGiveWay();
    const sessions = activities.sessions();
    for (let at = 0; at < sessions.length; at += WRITTEN_AT_ONCE) {
      await write(sessions.slice(at, at + WRITTEN_AT_ONCE));
      await giveWay();
    }
  }

  async function write(sessions: readonly LiveSession[]): Promise<void> {
    const running = sessions.filter(({ is_over }) => !is_over); // some may have ended during earlier writes
    const changed = running.map(rowOf).filter((row) => stored.get(row.id) !== contentOf(row));
    if (changed.length === 0) return;
    try {
      await terminal_sessions.refresh(changed);
      for (const row of changed) if (activities.session(row.id)) stored.set(row.id, contentOf(row));
    } finally {
      for (const { id } of changed) endAgain(id); // also after an error: the write may have succeeded
    }
  }

  /** A refresh may have rewritten the row of a session that has just ended. */
  function endAgain(id: string): void {
    const session = activities.session(id);
    if (!session) remove(id);
    else if (session.is_over) finish(id);
  }

  return {
    reserve: (info, dials) =>
      terminal_sessions.insert(
        {
          ...identityOf(info),
          started_at: null,
          last_activity: clock.now().toISOString(),
          participants: 1, // who opens it
          recording: false,
        },
        { sessions: settings.values.max_sessions_per_user || undefined, dials },
      ),

    begin({ id, started_at, is_recorded, is_kept, resume_ms }) {
      const kept_ms = is_kept ? resume_ms : null;
      return terminal_sessions.begin(id, {
        started_at: started_at.toISOString(),
        recording: is_recorded,
        kept_ms,
      });
    },

    adopt: (session) => terminal_sessions.adopt(rowOf(session)),

    async setShare(session_id, share_digest) {
      if (share_digest === null) digests.delete(session_id);
      else digests.set(session_id, share_digest);
      const write = () => terminal_sessions.setShare(session_id, digests.get(session_id) ?? null);
      await oneAtATime(session_id, write); // in order; a refresh that writes an older share is followed by another
    },

    knowShare: (session_id, share_digest) => void digests.set(session_id, share_digest),

    finish(session_id) {
      stored.delete(session_id);
      digests.delete(session_id);
      finish(session_id);
    },

    remove(session_id) {
      stored.delete(session_id);
      digests.delete(session_id);
      remove(session_id);
    },

    later,

    async refresh(is_forgotten = false) {
      if (is_forgotten) stored.clear();
      stuck.clear();
      for (const again of unwritten.splice(0)) later(...again);
      refreshing ??= writeChanges().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },

    async list(user_id) {
      const rows = await terminal_sessions.list(user_id);
      return rows.map((row) => {
        const session = activities.session(row.id);
        return session ? { ...row, ...activityOf(session) } : row;
      });
    },
  };
}

/** What may change while a terminal runs. */
function contentOf(row: TerminalSessionRow): string {
  const { last_activity, participants, recording, share_digest, kept_ms } = row;
  return `${last_activity} ${participants} ${recording} ${share_digest} ${kept_ms}`;
}

function activityOf({ last_activity, participants, is_recorded }: LiveSession) {
  return { last_activity: last_activity.toISOString(), participants, recording: is_recorded };
}
