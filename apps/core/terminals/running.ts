import type { ActivityInfo } from '../activities/activity.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { Actor, AuditTrail } from '../audit/trail.ts';
import type { HopConnection } from '../model/hosts/hop-connection.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Meter } from '../ports/meter.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Screens } from '../ports/screens.ts';
import type { PtySize, Shell } from '../ports/ssh.ts';
import type { RecordingListener, RecordingSink } from '../recordings/sink.ts';
import type { ActiveShares } from './active-shares.ts';
import { createDetachedHistories } from './detached-histories.ts';
import type { KeptTerminal } from './kept-terminal.ts';
import type { SessionLedger } from './ledger.ts';
import { LiveSession } from './live/live-session.ts';
import type { SessionEnd } from './live/member-socket.ts';
import type { SessionLimits } from './live/session-limits.ts';
import type { SessionPast } from './live/session-past.ts';

/** A session and its recording, which know each other. */
export interface Recorded {
  session: LiveSession | undefined;
  sink: RecordingSink | undefined;
}

/** A shell that is to become a live session. */
export interface Started {
  readonly info: ActivityInfo;
  /** The name in audit entries. */
  readonly label: string;
  readonly actor: Actor;
  readonly shell: Shell;
  readonly connection: readonly HopConnection[];
  readonly size: PtySize;
  readonly recorded: Recorded;
  readonly past?: SessionPast;
}

/** Runs live sessions on shells, new ones and those of an earlier process. */
export interface RunningSessions {
  /** What a recording of the shell tells the session. */
  listen(recorded: Recorded, shell: Shell): RecordingListener;
  run(started: Started): LiveSession;
  /** Whether this process has left terminals to another one. */
  hasHandedOver(): boolean;
}

interface Deps {
  readonly activities: ActivityRegistry<LiveSession>;
  readonly ledger: SessionLedger;
  readonly shares: Pick<ActiveShares, 'remove' | 'of'>;
  readonly screens: Screens;
  readonly trail: AuditTrail;
  readonly meter: Meter;
  readonly background: Background;
  readonly clock: Clock;
  readonly settings: InForce<'resume_seconds' | 'session_timeout'>;
}

/** Reads the settings each time. */
function limitsOf(settings: Deps['settings']): SessionLimits {
  return {
    get resume_ms() {
      return settings.values.resume_seconds * 1000;
    },
    get idle_ms() {
      return settings.values.session_timeout * 1000 || undefined;
    },
  };
}

export function createRunningSessions(deps: Deps): RunningSessions {
  const { activities, ledger, shares, screens, trail, meter, background, clock, settings } = deps;
  const limits = limitsOf(settings);
  const histories = createDetachedHistories();
  let has_handed_over = false;

  /** Records the end of a session. */
  function over(
    { actor, label, shell }: Started,
    session: LiveSession,
    end: SessionEnd | undefined,
  ): Promise<void> {
    const seconds = Math.round((clock.now().getTime() - session.started_at.getTime()) / 1000);
    const reason = !end || end.kind === 'exit' ? '' : ` (${end.fault.code})`;
    shares.remove(session.id);
    ledger.finish(session.id);
    const entry = trail.record(actor, 'terminal_close', `${label} after ${seconds} s${reason}`, {
      once: shell.keeping && `terminal_close ${session.id}`, // another process may meet the same end
    });
    background.run('audit the end of a terminal', entry);
    return entry;
  }

  function shareOf({ id }: LiveSession): KeptTerminal['share'] {
    const share = shares.of(id);
    if (!share) return null;
    const { token, mode, expires_at } = share;
    return { token, mode, expires_at: expires_at?.toISOString() ?? null };
  }

  function note({ shell, connection, label, actor, recorded }: Started, session: LiveSession): void {
    const about: KeptTerminal = {
      session_id: session.id,
      owner: session.owner,
      server: { id: session.server.id, name: session.server.name },
      label,
      ip_address: actor.ip_address,
      via: actor.via,
      started_at: session.started_at.toISOString(),
      away_since: session.has_owner ? null : clock.now().toISOString(),
      recording_id: recorded.sink?.recording_id ?? null,
      share: shareOf(session),
      connection: [...connection],
    };
    shell.keeping?.note({
      about: JSON.stringify(about),
      keep_ms: session.resume_ms,
      is_recorded: recorded.sink !== undefined,
    });
  }

  return {
    hasHandedOver: () => has_handed_over,

    listen: (recorded, { keeping }) => ({
      congested: (is_congested) => recorded.session?.congest(is_congested),
      written: (position) => keeping?.recorded(position),
      stopped(reason) {
        recorded.sink = undefined;
        recorded.session?.stopRecording(reason);
      },
    }),

    run(started) {
      const { info, shell, connection, size, recorded, past } = started;
      const { sink } = recorded;
      const stored: Promise<unknown>[] = []; // until then, a keeper has what another process needs to store it
      const session = new LiveSession(info, {
        shell,
        connection,
        size,
        recording: sink && {
          ...sink,
          end() {
            const closing = sink.end();
            stored.push(closing);
            return closing;
          },
        },
        limits,
        screens,
        clock,
        meter,
        past,
        onChanged: (changed) => note(started, changed),
        onOver: (ended, end) => stored.push(over(started, ended, end)),
        onHistory: (changed) => {
          if (activities.session(changed.id) === changed) histories.update(changed);
        },
        onHandedOver(released) {
          has_handed_over = true;
          histories.forget(session);
          background.run('hand a terminal over', released);
          activities.remove(info.id);
          shares.remove(info.id);
        },
        onForgotten() {
          activities.remove(info.id);
          histories.forget(session);
          ledger.remove(info.id);
          void Promise.allSettled(stored).then(() => shell.keeping?.forget());
        },
      });
      recorded.session = session;
      activities.addSession(session);
      if (past) histories.update(session);
      note(started, session);
      return session;
    },
  };
}
