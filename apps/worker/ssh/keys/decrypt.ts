import { Worker } from 'node:worker_threads';
import { createLimiter } from '#core/lib/limiter.ts';
import type { Clock } from '#core/ports/runtime.ts';

const TIME_LIMIT_MS = 10_000;
const MAX_THREADS = 2; // more at once would starve the rest of the gateway of CPU

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

export function createDecrypter(clock: Clock): Decrypter {
  const limited = createLimiter(MAX_THREADS);
  return (job) => limited(() => runThread(clock, job));
}

function runThread(clock: Clock, job: Job): Promise<Decrypted> {
  return new Promise((resolve) => {
    const workerData = { from: import.meta.url, job };
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData });
    thread.unref();
    const settle = (outcome: Decrypted) => {
      cancel();
      resolve(outcome);
      void thread.terminate();
    };
    const cancel = clock.after(TIME_LIMIT_MS, () => settle({ kind: 'overdue' }));
    thread.once('message', (decrypted: unknown) => {
      if (typeof decrypted === 'string') settle({ kind: 'text', text: decrypted });
      else settle({ kind: 'failed', cause: new Error('Not a private key') });
    });
    thread.once('error', (cause) => settle({ kind: 'failed', cause }));
    thread.once('exit', () => settle({ kind: 'failed', cause: new Error('The thread ended') }));
  });
}
