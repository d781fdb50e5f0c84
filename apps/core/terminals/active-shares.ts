import type { ActivityRegistry } from '../activities/registry.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import type { ShareMode } from '../model/terminal.ts';
import type { Clock } from '../ports/runtime.ts';
import type { LiveSession } from './live/live-session.ts';

/** Lets every signed-in user with the token join one session. */
export interface ActiveShare {
  readonly token: string;
  readonly session_id: string;
  readonly mode: ShareMode;
  readonly expires_at: Date | undefined;
}

export interface ShareTerms {
  readonly mode: ShareMode;
  readonly expires_at: Date | undefined;
}

/** The shares of this process's sessions; tokens are kept only in memory. */
export interface ActiveShares {
  of(session_id: string): ActiveShare | undefined;
  /** Undefined when there is no such share or its session has ended. */
  sessionOf(token: string): LiveSession | undefined;
  /** Keeps the token of an active share. Calls `onExpired` unless the share is removed or changed before. */
  set(session_id: string, terms: ShareTerms, onExpired: () => void): ActiveShare;
  /** A share of an earlier process; it must not have expired. */
  restore(share: ActiveShare, onExpired: () => void): void;
  /** False when there was none. */
  remove(session_id: string): boolean;
}

interface Deps {
  readonly activities: Pick<ActivityRegistry<LiveSession>, 'session'>;
  readonly clock: Clock;
}

// setTimeout takes at most 2^31 ms.
const LONGEST_WAIT_MS = 2_000_000_000;

export function createActiveShares({ activities, clock }: Deps): ActiveShares {
  const shares = new Map<string, { share: ActiveShare; cancel: () => void }>();

  function awaitExpiry(at: Date | undefined, onExpired: () => void): () => void {
    if (!at) return () => undefined;
    let cancel: () => void = () => undefined;
    const wait = () => {
      const rest_ms = at.getTime() - clock.now().getTime();
      if (rest_ms <= 0) onExpired();
      else cancel = clock.after(Math.min(rest_ms, LONGEST_WAIT_MS), wait);
    };
    wait();
    return () => cancel();
  }

  function remove(session_id: string): boolean {
    shares.get(session_id)?.cancel();
    return shares.delete(session_id);
  }

  function put(share: ActiveShare, onExpired: () => void): void {
    const { session_id, expires_at } = share;
    shares.get(session_id)?.cancel();
    shares.set(session_id, { share, cancel: () => undefined });
    shares.set(session_id, { share, cancel: awaitExpiry(expires_at, onExpired) });
  }

  return {
    of: (session_id) => shares.get(session_id)?.share,
    sessionOf(token) {
      const found = [...shares.values()].find(({ share }) => share.token === token)?.share;
      const session = found && activities.session(found.session_id);
      return session?.is_over ? undefined : session;
    },
    set(session_id, terms, onExpired) {
      const token = shares.get(session_id)?.share.token ?? randomToken(24);
      const share = { token, session_id, ...terms };
      put(share, onExpired);
      return share;
    },
    restore: put,
    remove,
  };
}
