import { hash, verify } from '@node-rs/argon2';
import type { PasswordHasher } from '#core/ports/identity.ts';

// OWASP Password Storage Cheat Sheet: argon2id (the library's default) with 19 MiB, 2 passes, 1 lane.
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Runs on libuv's threads, never on the event loop. */
export function createArgon2Hasher(): PasswordHasher {
  return {
    hash: (password) => hash(password, PARAMETERS),
    verify: (stored, password) => verify(stored, password),
  };
}
