import { Worker } from 'node:worker_threads';
import type { Clock } from '#core/ports/runtime.ts';

const TIME_LIMIT_MS = 10_000;
const MAX_THREADS = 2; // further keys wait for their turn: many at once would take the processors from everything else

export type Decrypted =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly cause: Error }
  | { readonly kind: 'overdue' };

/** An encrypted private key as an unencrypted one that ssh2 or OpenSSL reads. */
export type Decrypter = (text: string, passphrase: string) => Promise<Decrypted>;

// ssh2 stretches a passphrase in JavaScript, OpenSSL in one call: either holds up the thread it runs in. The program is
// text so that it is found from the sources as from the bundle, where there is no other file than main.js.
const PROGRAM = `
const { createPrivateKey } = require('node:crypto');
const { createRequire } = require('node:module');
const { parentPort, workerData: { from, text, passphrase } } = require('node:worker_threads');
const { utils } = createRequire(from)('ssh2');
function decrypt() {
  if (text.startsWith('-----BEGIN ENCRYPTED PRIVATE KEY-----')) {
    return createPrivateKey({ key: text, passphrase }).export({ type: 'pkcs8', format: 'pem' });
  }
  const parsed = utils.parseKey(text, passphrase);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!key || key instanceof Error) throw key ?? new Error('No key in the file');
  return key.getPrivatePEM();
}
parentPort.postMessage(decrypt());
`;

export function createDecrypter(clock: Clock): Decrypter {
  const takeTurn = createTurns(MAX_THREADS);
  return async (text, passphrase) => {
    const done = await takeTurn();
    return runThread(clock, text, passphrase).finally(done);
  };
}

function runThread(clock: Clock, text: string, passphrase: string): Promise<Decrypted> {
  return new Promise((resolve) => {
    const thread = new Worker(PROGRAM, {
      eval: true,
      execArgv: [],
      workerData: { from: import.meta.url, text, passphrase },
    });
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

/** Waits until fewer than `limit` hold a turn; the result gives it back. */
function createTurns(limit: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = limit;
  const give = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return give;
  };
}
