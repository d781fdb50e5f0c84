import { Fault } from '../errors.ts';
import { toUsernameKey } from '../model/user.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

const FIRST_LOCK = 10; // failures in a row
const LOCKS_S = [60, 120, 240, 480, 960, 1920, 3600];
const LONGEST_NAME = 150; // what is longer names nobody

/** One attempt to sign in; it counts as a failure until it is told otherwise. */
export interface Attempt {
  /** Signed in as this user: the failures of the name before are forgotten, if it is theirs. */
  succeeded(username: string): Promise<void>;
  /** Neither right nor wrong yet. */
  undo(): Promise<void>;
}

/** Locks a name for a growing time after failures in a row, from whatever address, whether it exists or not. */
export interface Lockouts {
  /** Counted before anything is compared, so that many at once are no way around; throws `account_locked`. */
  attempt(username: string): Promise<Attempt>;
  clear(username: string): Promise<void>;
  /** Until when a name is locked, for all that are. */
  inForce(): Promise<(username: string) => string | null>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'lockouts'>;
  readonly clock: Clock;
  /** Whose password everybody may know: locking it would only shut others out. */
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
          // A directory may know somebody by a name that is another account's here.
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
      return (username) => until.get(toUsernameKey(nameOf(username))) ?? null;
    },
  };
}

/** One name for all spellings that a directory takes for the same (RFC 4518): each counts for all of them. */
function nameOf(typed: string): string {
  const folded = typed.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
  return folded.slice(0, LONGEST_NAME);
}

function locked(until: string | null, now: Date): Fault {
  const left_ms = until === null ? 0 : Date.parse(until) - now.getTime();
  return new Fault('account_locked', undefined, { retry_after: Math.max(1, Math.ceil(left_ms / 1000)) });
}
