import { LITTLE_BYTES } from './live/history.ts';
import type { LiveSession } from './live/live-session.ts';

const MIB = 1024 * 1024;

export interface HistoryLimits {
  readonly of_one_user: number;
  readonly of_all: number;
}

const LIMITS: HistoryLimits = { of_one_user: 32 * MIB, of_all: 256 * MIB };

/** Bounds the output that terminals keep while nobody is attached to them. */
export interface DetachedHistories {
  /** Somebody has come or gone, or the terminal keeps more than before. */
  update(session: LiveSession): void;
  /** The terminal can no longer be resumed here. */
  forget(session: LiveSession): void;
}

/** Beyond a limit, the terminals that were left first keep little more than their screen. */
export function createDetachedHistories(limits: HistoryLimits = LIMITS): DetachedHistories {
  const all = createDetached(limits.of_all);
  const users = new Map<number, Detached>();

  function forget(session: LiveSession): void {
    const { user_id } = session.owner;
    const own = users.get(user_id);
    own?.remove(session);
    if (own?.isEmpty()) users.delete(user_id);
    all.remove(session);
  }

  return {
    forget,
    update(session) {
      if (session.participants > 0) {
        forget(session);
        session.history.keepAll();
        return;
      }
      const { user_id } = session.owner;
      const own = users.get(user_id) ?? createDetached(limits.of_one_user);
      users.set(user_id, own);
      own.put(session);
      all.put(session);
      for (const one of [...own.excess(), ...all.excess()]) {
        one.history.keepLittle();
        users.get(one.owner.user_id)?.put(one);
        all.put(one);
      }
    },
  };
}

type Detached = ReturnType<typeof createDetached>;

/** Terminals in the order in which they were left, and what they keep. */
function createDetached(most_bytes: number) {
  const sizes = new Map<LiveSession, number>();
  let total = 0;

  function put(session: LiveSession): void {
    const size = session.history.size_bytes();
    total += size - (sizes.get(session) ?? 0);
    sizes.set(session, size);
  }

  return {
    put,
    remove(session: LiveSession): void {
      total -= sizes.get(session) ?? 0;
      sizes.delete(session);
    },
    isEmpty: () => sizes.size === 0,
    /** Whose output is to be given up. */
    excess(): LiveSession[] {
      let bytes = total;
      const found: LiveSession[] = [];
      for (const [session, size] of sizes) {
        if (bytes <= most_bytes) break;
        if (size <= LITTLE_BYTES) continue;
        bytes -= size - LITTLE_BYTES;
        found.push(session);
      }
      return found;
    },
  };
}
