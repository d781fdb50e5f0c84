import { randomToken } from '../lib/bytes.ts';
import type { ShareMode } from '../model/terminal.ts';
import type { Clock } from '../ports/runtime.ts';
import type { LiveSession } from './live/live-session.ts';
import type { SessionRegistry } from './live/registry.ts';

/** The right to take part in one session: whoever signs in and has the token. */
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

/** The shares of this process's sessions; tokens are in memory alone. */
export interface ShareBook {
  of(session_id: string): ActiveShare | undefined;
  /** Undefined when there is no such share, or its session is over. */
  sessionOf(token: string): LiveSession | undefined;
  /** The token of an active share stays; `onExpired` runs when nobody has ended or prolonged it until then. */
  set(session_id: string, terms: ShareTerms, onExpired: () => void): ActiveShare;
  /** False when there was none. */
  remove(session_id: string): boolean;
}

interface Deps {
  readonly registry: Pick<SessionRegistry, 'session'>;
  readonly clock: Clock;
}

// setTimeout knows no more than 2^31 ms.
const LONGEST_WAIT_MS = 2_000_000_000;

export function createShareBook({ registry, clock }: Deps): ShareBook {
  const shares = new Map<string, { share: ActiveShare; cancel: () => void }>();

  function awaitEnd(at: Date | undefined, onExpired: () => void): () => void {
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

  return {
    of: (session_id) => shares.get(session_id)?.share,
    sessionOf(token) {
      const found = [...shares.values()].find(({ share }) => share.token === token)?.share;
      const session = found && registry.session(found.session_id);
      return session?.is_over ? undefined : session;
    },
    set(session_id, terms, onExpired) {
      const token = shares.get(session_id)?.share.token ?? randomToken(24);
      shares.get(session_id)?.cancel();
      const share = { token, session_id, ...terms };
      shares.set(session_id, { share, cancel: () => undefined });
      shares.set(session_id, { share, cancel: awaitEnd(terms.expires_at, onExpired) });
      return share;
    },
    remove,
  };
}
