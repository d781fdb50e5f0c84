import { hashRaw } from '@node-rs/argon2';
import type { DeriveKey } from '#core/ports/outside.ts';

const KEY_BYTES = 32;

/** Argon2id is the library's default. Runs on libuv's threads, never on the event loop. */
export const deriveKey: DeriveKey = async (passphrase, { salt, memory_kib, iterations, parallelism }) => {
  const key = await hashRaw(passphrase, {
    memoryCost: memory_kib,
    timeCost: iterations,
    parallelism,
    outputLen: KEY_BYTES,
    salt,
  });
  return new Uint8Array(key);
};
