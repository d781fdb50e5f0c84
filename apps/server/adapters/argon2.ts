import { hash, type Options, verify } from '@node-rs/argon2';
import { Fault } from '#core/errors.ts';
import { createLimiter } from '#core/lib/concurrency/limiter.ts';
import type { PasswordHasher } from '#core/ports/identity.ts';

// OWASP Password Storage Cheat Sheet: argon2id (the library's default) with 19 MiB, 2 passes, 1 lane.
const PARAMETERS: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const AT_ONCE = 2; // of libuv's four threads; file access and DNS need the others
const WAITING = 100; // about two seconds of work; later callers are asked to retry

/** Memory in KiB, passes and lanes of one hash. */
export type HashCost = Required<Pick<Options, 'memoryCost' | 'timeCost' | 'parallelism'>>;

/** Runs on some of libuv's threads, never on the event loop. */
export function createArgon2Hasher(cost: HashCost = PARAMETERS): PasswordHasher {
  const tooMany = () => new Fault('overloaded', undefined, { retry_after: 5 });
  const limited = createLimiter(AT_ONCE, { max_waiting: WAITING, tooMany });
  return {
    hash: (password) => limited(() => hash(password, cost)),
    verify: (stored, password) => limited(() => verify(stored, password)),
  };
}
