import { Worker } from 'node:worker_threads';
import { Fault } from '#core/errors.ts';
import { createFairSlots } from '#core/lib/fair-slots.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { KeyAsker } from '#core/ports/ssh.ts';

const TIME_LIMIT_MS = 10_000;
const MAX_THREADS = 3; // more at once would starve the rest of the gateway of CPU
const MAX_PER_USER = 2;
const MAX_WAITING = 256;
const MAX_WAITING_PER_USER = 64;
const BUSY_RETRY_S = 10;

/** A passphrase with the key it decrypts, or the parameters it is stretched with. */
export type Job =
  | { readonly kind: 'openssh' | 'pem'; readonly text: string; readonly passphrase: string }
  | { readonly kind: 'argon2'; readonly parameters: Argon2Parameters; readonly passphrase: string };

/** As `@node-rs/argon2` names them. */
export interface Argon2Parameters {
  readonly algorithm: number;
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
  readonly salt: Uint8Array;
  readonly outputLen: number;
}

export type Decrypted =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly cause: Error }
  | { readonly kind: 'overdue' };

/** Resolves with the key as unencrypted PEM; for Argon2, with the hash in base64. */
export type Decrypter = (job: Job) => Promise<Decrypted>;

/** Runs each job in a thread of its own. */
export interface KeyThreads {
  decrypterFor(asker: KeyAsker): Decrypter;
}

// ssh2 stretches a passphrase in JavaScript, OpenSSL and Argon2 in one native call; each blocks its thread. The program is
// a string so that it works from the sources as well as from the bundle.
const PROGRAM = `
const { createPrivateKey } = require('node:crypto');
const { createRequire } = require('node:module');
const { parentPort, workerData: { from, job } } = require('node:worker_threads');
const load = createRequire(from);
const work = {
  pem({ text, passphrase }) {
    return createPrivateKey({ key: text, passphrase }).export({ type: 'pkcs8', format: 'pem' });
  },
  openssh({ text, passphrase }) {
    const parsed = load('ssh2').utils.parseKey(text, passphrase);
    const key = Array.isArray(parsed) ? parsed[0] : parsed;
    if (!key || key instanceof Error) throw key ?? new Error('No key in the file');
    return key.getPrivatePEM();
  },
  argon2({ passphrase, parameters }) {
    return load('@node-rs/argon2').hashRawSync(passphrase, parameters).toString('base64');
  },
};
parentPort.postMessage(work[job.kind](job));
`;

export function createKeyThreads(clock: Clock): KeyThreads {
  const acquire = createFairSlots({
    concurrency: MAX_THREADS,
    concurrency_per_owner: MAX_PER_USER,
    max_waiting: MAX_WAITING,
    max_waiting_per_owner: MAX_WAITING_PER_USER,
    tooMany: tooManyKeyJobs,
  });
  return {
    decrypterFor: (asker) => async (job) => {
      const release = await acquire(ownerOf(asker), asker.signal);
      try {
        const thread = startThread(job);
        thread.once('exit', release); // a native call goes on until it returns, even in a thread to be ended
        return outcomeOf(thread, clock, asker.signal);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

export function ownerOf({ user_id }: KeyAsker): string {
  return String(user_id ?? 'gateway');
}

export function tooManyKeyJobs(): Fault {
  return new Fault('too_many_key_jobs', undefined, { retry_after: BUSY_RETRY_S });
}

function startThread(job: Job): Worker {
  const workerData = { from: import.meta.url, job };
  const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData });
  thread.unref();
  return thread;
}

function outcomeOf(thread: Worker, clock: Clock, signal: AbortSignal | undefined): Promise<Decrypted> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', giveUp);
      void thread.terminate();
    };
    const settle = (outcome: Decrypted) => {
      end();
      resolve(outcome);
    };
    const giveUp = () => {
      end();
      reject(signal?.reason);
    };
    const cancel = clock.after(TIME_LIMIT_MS, () => settle({ kind: 'overdue' }));
    signal?.addEventListener('abort', giveUp, { once: true });
    thread.once('message', (decrypted: unknown) => {
      if (typeof decrypted === 'string') settle({ kind: 'text', text: decrypted });
      else settle({ kind: 'failed', cause: new Error('Not a private key') });
    });
    thread.once('error', (cause) => settle({ kind: 'failed', cause }));
    thread.once('exit', () => settle({ kind: 'failed', cause: new Error('The thread ended') }));
    if (signal?.aborted) giveUp();
  });
}
