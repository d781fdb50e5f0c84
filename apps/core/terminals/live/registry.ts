import { Fault } from '../../errors.ts';
import type { LiveSession } from './live-session.ts';
import type { LiveSessionInfo, SessionOwner, SessionServer } from './session-info.ts';

/**
 * Something a user keeps running: a terminal (from the request on, before there is a session), a transfer, or membership
 * in another user's terminal.
 */
export interface Terminal {
  readonly id: string;
  readonly use: 'terminal' | 'transfer' | 'join' | 'watch';
  readonly live: boolean;
  readonly owner: SessionOwner;
  readonly server: SessionServer;
  end(fault: Fault): void;
}

/** Everything that users keep running in this process. */
export interface SessionRegistry {
  /** Called before dialling, so that a change of rights can end it from the start. */
  opening(info: LiveSessionInfo, end: (fault: Fault) => void): void;
  /** Replaces the opening of the same id. */
  opened(session: LiveSession): void;
  /** A guest in another user's terminal. */
  visiting(info: LiveSessionInfo, use: 'join' | 'watch', end: (fault: Fault) => void): void;
  /** A download, upload or copy; `end` aborts it. */
  transferring(info: LiveSessionInfo, end: (fault: Fault) => void): void;
  remove(id: string): void;
  all(): readonly Terminal[];
  /** Includes a session whose shell has ended while the owner may still receive the remaining output. */
  session(id: string): LiveSession | undefined;
  /** Sessions with a running shell. */
  sessions(): readonly LiveSession[];
  /** Ends everything that matches, with the reason (close 4009). */
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
