import { Fault } from '../errors.ts';
import { LONGEST_FOLDED, normalized } from '../lib/text/fold.ts';
import { toUsernameKey } from '../model/accounts/user.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

const FIRST_LOCK = 10; // consecutive failures
const LOCKS_S = [60, 120, 240, 480, 960, 1920, 3600];
const LONGEST_NAME = 150; // no username is longer
const MAPPED_TO_SPACE = /[\t-\r\u0085\p{Z}]/gu; // RFC 4518 §2.2
const MAPPED_TO_NOTHING = /[\p{Cc}\p{Cf}\p{Variation_Selector}\u1806\ufffc]|\u034f/gu; // RFC 4518 §2.2
const DOT_ABOVE = '\u0307'; // of İ, which lower case turns into i and this

/** A sign-in attempt; counts as a failure until one of these is called. */
export interface Attempt {
  /** Clears earlier failures of the name if it belongs to the user who signed in. */
  succeeded(username: string): Promise<void>;
  /** Takes the attempt back: it proved nothing either way. */
  undo(): Promise<void>;
}

/** Locks a name for increasing periods after consecutive failures from any address, whether or not it exists. */
export interface Lockouts {
  /** Counts the attempt before anything is compared, so parallel attempts cannot bypass the lock; throws `account_locked`. */
  attempt(username: string): Promise<Attempt>;
  clear(username: string): Promise<void>;
  /** When the lock of a name expires, for every locked name. */
  inForce(): Promise<(username: string) => string | null>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'lockouts'>;
  readonly clock: Clock;
  /** The demo account, whose password is public: a lock would only keep others out. */
  readonly never_locked: string | undefined;
}

const UNCOUNTED: Attempt = { succeeded: async () => undefined, undo: async () => undefined };

export function createLockouts({ repositories: { lockouts }, clock, never_locked }: Deps): Lockouts {
  return {
    async attempt(typed) {
      const username = nameOf(typed);
      if (username === never_locked) return UNCOUNTED;
      const now = clock.now();
      const { allowed, locked_until } = await lockouts.attempt({
        username,
        now: now.toISOString(),
        first_lock: FIRST_LOCK,
        locks: LOCKS_S.map((seconds) => new Date(now.getTime() + seconds * 1000).toISOString()),
      });
      if (!allowed) throw locked(locked_until, now);
      let is_settled = false;
      const undo = async () => {
        if (is_settled) return;
        is_settled = true;
        await lockouts.undo(username, locked_until);
      };
      return {
        undo,
        async succeeded(as) {
          // A directory may know the user by a name that belongs to another account here.
          if (nameOf(as) !== username) return undo();
          is_settled = true;
          await lockouts.clear(username);
        },
      };
    },
    clear: (typed) => lockouts.clear(nameOf(typed)),
    async inForce() {
      const rows = await lockouts.locked(clock.now().toISOString());
      const until = new Map(rows.map(({ username_key, locked_until }) => [username_key, locked_until]));
      if (until.size === 0) return () => null; // nearly always, and folding thousands of names takes long
      return (username) => until.get(toUsernameKey(nameOf(username))) ?? null;
    },
  };
}

/** One key for all spellings that a directory treats as equal (RFC 4518), so that they share a count. */
function nameOf(typed: string): string {
  const mapped = typed.replace(MAPPED_TO_SPACE, ' ').replace(MAPPED_TO_NOTHING, '');
  const bounded = normalized(mapped, 'NFKC').slice(0, LONGEST_FOLDED); // one character may become eighteen
  const folded = bounded.toLowerCase().replaceAll(DOT_ABOVE, '').replaceAll('ς', 'σ');
  return normalized(folded.slice(0, LONGEST_FOLDED), 'NFKC')
    .trim()
    .replace(/\s+/g, ' ')
    .slice(0, LONGEST_NAME);
}

function locked(until: string | null, now: Date): Fault {
  const left_ms = until === null ? 0 : Date.parse(until) - now.getTime();
  return new Fault('account_locked', undefined, { retry_after: Math.max(1, Math.ceil(left_ms / 1000)) });
}
