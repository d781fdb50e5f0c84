import { Fault } from '../../errors.ts';
import type { LiveSession, LiveSessionInfo, SessionOwner, SessionServer } from './live-session.ts';

/**
 * What somebody holds open: a terminal from the moment it is asked for (while its host is dialled there is no session
 * yet), a transfer, or a seat in somebody else's terminal.
 */
export interface Terminal {
  readonly id: string;
  readonly use: 'terminal' | 'transfer' | 'join' | 'watch';
  readonly live: boolean;
  readonly owner: SessionOwner;
  readonly server: SessionServer;
  end(fault: Fault): void;
}

/** What people hold open in this process. */
export interface SessionRegistry {
  /** Before anything is dialled, so that a change of rights finds it from the start. */
  opening(info: LiveSessionInfo, end: (fault: Fault) => void): void;
  /** Takes the place of the opening of the same id. */
  opened(session: LiveSession): void;
  /** A seat in the terminal of somebody else. */
  visiting(info: LiveSessionInfo, use: 'join' | 'watch', end: (fault: Fault) => void): void;
  /** A download or the like; `end` breaks it off. */
  transferring(info: LiveSessionInfo, end: (fault: Fault) => void): void;
  remove(id: string): void;
  all(): readonly Terminal[];
  /** Also one whose shell is over, as long as its owner may come back for what it showed last. */
  session(id: string): LiveSession | undefined;
  /** Whose shells run. */
  sessions(): readonly LiveSession[];
  /** Ends everything that matches, telling a terminal's participant why (close 4009). */
  endWhere(matches: (terminal: Terminal) => boolean, why: string): void;
  /** The gateway is shutting down (close 1012); transfers may finish. */
  endAll(): void;
}

export function createSessionRegistry(): SessionRegistry {
  const terminals = new Map<string, Terminal>();
  const sessions = new Map<string, LiveSession>();
  return {
    opening: (info, end) => void terminals.set(info.id, { ...info, use: 'terminal', live: false, end }),
    opened(session) {
      terminals.set(session.id, session);
      sessions.set(session.id, session);
    },
    visiting: (info, use, end) => void terminals.set(info.id, { ...info, use, live: true, end }),
    transferring: (info, end) => void terminals.set(info.id, { ...info, use: 'transfer', live: true, end }),
    remove(id) {
      terminals.delete(id);
      sessions.delete(id);
    },
    all: () => [...terminals.values()],
    session: (id) => sessions.get(id),
    sessions: () => [...sessions.values()].filter(({ is_over }) => !is_over),
    endWhere(matches, why) {
      for (const terminal of [...terminals.values()]) {
        if (matches(terminal)) terminal.end(new Fault('terminal_ended', why));
      }
    },
    endAll() {
      for (const terminal of [...terminals.values()]) {
        if (terminal.use !== 'transfer') terminal.end(new Fault('shutting_down'));
      }
    },
  };
}
