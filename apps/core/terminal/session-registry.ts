import { Fault } from '../errors.ts';
import type { LiveSession, LiveSessionInfo } from './live-session.ts';

/** A terminal from the moment it is asked for: while its host is dialled, there is no session yet. Or a transfer. */
export interface Terminal extends LiveSessionInfo {
  readonly use: 'terminal' | 'transfer';
  readonly live: boolean;
  end(fault: Fault): void;
}

/** What people hold open in this process: terminals, dialling and live, and transfers. */
export interface SessionRegistry {
  /** Before anything is dialled, so that a change of rights finds it from the start. */
  opening(info: LiveSessionInfo, end: (fault: Fault) => void): void;
  /** Takes the place of the opening of the same id. */
  opened(session: LiveSession): void;
  /** A download or the like; `end` breaks it off. */
  transferring(info: LiveSessionInfo, end: (fault: Fault) => void): void;
  remove(id: string): void;
  all(): readonly Terminal[];
  /** Ends everything that matches, telling a terminal's participant why (close 4009). */
  endWhere(matches: (terminal: Terminal) => boolean, why: string): void;
  /** The gateway is shutting down (close 1012); transfers may finish. */
  endAll(): void;
}

export function createSessionRegistry(): SessionRegistry {
  const terminals = new Map<string, Terminal>();
  return {
    opening: (info, end) => void terminals.set(info.id, { ...info, use: 'terminal', live: false, end }),
    opened: (session) => void terminals.set(session.id, { ...session, use: 'terminal', live: true }),
    transferring: (info, end) => void terminals.set(info.id, { ...info, use: 'transfer', live: true, end }),
    remove: (id) => void terminals.delete(id),
    all: () => [...terminals.values()],
    endWhere(matches, why) {
      for (const terminal of [...terminals.values()]) {
        if (matches(terminal)) terminal.end(new Fault('terminal_ended', why));
      }
    },
    endAll() {
      for (const terminal of [...terminals.values()]) {
        if (terminal.use === 'terminal') terminal.end(new Fault('shutting_down'));
      }
    },
  };
}
