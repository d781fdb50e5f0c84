import { Fault } from '../errors.ts';
import type { Activity, ActivityInfo, LastingActivity } from './activity.ts';

/** Everything that users keep running in this process; `Session` is a terminal. */
export interface ActivityRegistry<Session extends LastingActivity = LastingActivity> {
  /** Called before dialling, so that a change of rights can end it from the start. */
  addOpening(info: ActivityInfo, end: (fault: Fault) => void): void;
  /** Replaces the opening of the same id. */
  addSession(session: Session): void;
  /** A guest in another user's terminal. */
  addGuest(info: ActivityInfo, use: 'join' | 'watch', end: (fault: Fault) => void): void;
  /** A download, upload or copy; `end` aborts it. */
  addTransfer(info: ActivityInfo, end: (fault: Fault) => void): void;
  /** An answer of the agent, or a stream of one. */
  addChat(info: ActivityInfo, end: (fault: Fault) => void): void;
  /** A search in recordings, `search_all` in those of all users. */
  addSearch(info: ActivityInfo, use: 'search' | 'search_all', end: (fault: Fault) => void): void;
  remove(id: string): void;
  /** Supports one listener. */
  onAdd(run: (activity: Activity) => void): void;
  all(): readonly Activity[];
  /** Includes a session whose shell has ended while the owner may still receive the remaining output. */
  session(id: string): Session | undefined;
  /** Sessions with a running shell. */
  sessions(): readonly Session[];
  /** Ends everything that matches, with the reason (close 4009). */
  endWhere(matches: (activity: Activity) => boolean, why: string): void;
  /** The gateway is shutting down (close 1012); transfers may finish, and kept terminals go on. */
  endAll(): void;
}

export function createActivityRegistry<
  Session extends LastingActivity = LastingActivity,
>(): ActivityRegistry<Session> {
  const activities = new Map<string, Activity>();
  const sessions = new Map<string, Session>();
  let added: (activity: Activity) => void = () => {};

  function add(activity: Activity): void {
    activities.set(activity.id, activity);
    added(activity);
  }

  return {
    addOpening: (info, end) => add({ ...info, use: 'terminal', live: false, end }),
    addSession(session) {
      add(session);
      sessions.set(session.id, session);
    },
    addGuest: (info, use, end) => add({ ...info, use, live: true, end }),
    addTransfer: (info, end) => add({ ...info, use: 'transfer', live: true, end }),
    addChat: (info, end) => add({ ...info, use: 'chat', live: true, end }),
    addSearch: (info, use, end) => add({ ...info, use, live: true, end }),
    onAdd(run) {
      added = run;
    },
    remove(id) {
      activities.delete(id);
      sessions.delete(id);
    },
    all: () => [...activities.values()],
    session: (id) => sessions.get(id),
    sessions: () => [...sessions.values()].filter(({ is_over }) => !is_over),
    endWhere(matches, why) {
      for (const activity of [...activities.values()]) {
        if (matches(activity)) activity.end(new Fault('terminal_ended', why));
      }
    },
    endAll() {
      const restarting = new Fault('gateway_restarting');
      for (const session of [...sessions.values()]) session.handOver(restarting);
      for (const activity of [...activities.values()]) {
        if (activity.use !== 'transfer') activity.end(new Fault('shutting_down'));
      }
    },
  };
}
