import { Fault } from '../errors.ts';
import type { LiveSession } from './live-session.ts';

/** The live sessions of this process. */
export interface SessionRegistry {
  add(session: LiveSession): void;
  remove(id: string): void;
  /** Ends every session that matches, telling its participant why (close 4009). */
  endWhere(matches: (session: LiveSession) => boolean, why: string): void;
  /** The gateway is shutting down (close 1012). */
  endAll(): void;
  readonly size: number;
}

export function createSessionRegistry(): SessionRegistry {
  const sessions = new Map<string, LiveSession>();
  return {
    add: (session) => void sessions.set(session.id, session),
    remove: (id) => void sessions.delete(id),
    endWhere(matches, why) {
      for (const session of [...sessions.values()]) {
        if (matches(session)) session.end(new Fault('terminal_ended', why));
      }
    },
    endAll() {
      for (const session of [...sessions.values()]) session.end(new Fault('shutting_down'));
    },
    get size() {
      return sessions.size;
    },
  };
}
