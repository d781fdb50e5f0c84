import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { createFairSlots } from '#core/lib/concurrency/fair-slots.ts';
import type { KeyAsker } from '#core/ports/ssh.ts';
import { ownerOf, tooManyKeyJobs } from './key-processes.ts';

const MAX_SIGNATURES = 2; // of libuv's four threads; the others are left to files and host names
const MAX_PER_USER = 1; // so that no user waits for the keys of another
const MAX_WAITING = 256;
const MAX_WAITING_PER_USER = 64;

export type Hash = 'sha1' | 'sha256' | 'sha512';

/** Signs without blocking the event loop: RSA with 8192 bits takes a tenth of a second. */
export type Sign = (key: KeyObject, hash: Hash, data: Uint8Array) => Promise<Buffer>;

const signInThread = promisify<Hash, Uint8Array, KeyObject, Buffer>(sign);

export function createSigning(): { signerFor(asker: KeyAsker): Sign } {
  const acquire = createFairSlots({
    concurrency: MAX_SIGNATURES,
    concurrency_per_owner: MAX_PER_USER,
    max_waiting: MAX_WAITING,
    max_waiting_per_owner: MAX_WAITING_PER_USER,
    tooMany: tooManyKeyJobs,
  });
  return {
    signerFor: (asker) => async (key, hash, data) => {
      const release = await acquire(ownerOf(asker), asker.signal);
      const signature = await signInThread(hash, data, key).finally(release);
      asker.signal?.throwIfAborted();
      return signature;
    },
  };
}
