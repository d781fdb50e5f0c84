import { Fault } from '../errors.ts';
import type { LiveSession, LiveSessionInfo } from './live-session.ts';

/** A terminal from the moment it is asked for: while its host is dialled, there is no session yet. */
export interface Terminal extends LiveSessionInfo {
  readonly live: boolean;
  end(fault: Fault): void;
}

/** The terminals of this process, dialling and live. */
export interface SessionRegistry {
  /** Before anything is dialled, so that a change of rights finds it from the start. */
  opening(info: LiveSessionInfo, end: (fault: Fault) => void): void;
  /** Takes the place of the opening of the same id. */
  opened(session: LiveSession): void;
  remove(id: string): void;
  all(): readonly Terminal[];
  /** Ends every terminal that matches, telling its participant why (close 4009). */
  endWhere(matches: (terminal: Terminal) => boolean, why: string): void;
  /** The gateway is shutting down (close 1012). */
  endAll(): void;
}

export function createSessionRegistry(): SessionRegistry {
  const terminals = new Map<string, Terminal>();
  return {
    opening: (info, end) => void terminals.set(info.id, { ...info, live: false, end }),
    opened: (session) => void terminals.set(session.id, { ...session, live: true }),
    remove: (id) => void terminals.delete(id),
    all: () => [...terminals.values()],
    endWhere(matches, why) {
      for (const terminal of [...terminals.values()]) {
        if (matches(terminal)) terminal.end(new Fault('terminal_ended', why));
      }
    },
    endAll() {
      for (const terminal of [...terminals.values()]) terminal.end(new Fault('shutting_down'));
    },
  };
}
