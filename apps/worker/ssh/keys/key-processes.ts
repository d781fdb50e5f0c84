import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Fault } from '#core/errors.ts';
import { createFairSlots } from '#core/lib/concurrency/fair-slots.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { KeyAsker } from '#core/ports/ssh.ts';

const PROGRAM = fileURLToPath(new URL('./key-process.mjs', import.meta.url)); // next to the bundle as well

const TIME_LIMIT_MS = 60_000; // the slowest supported key takes about 4 s, and many times that on a busy machine
const MAX_PROCESSES = 3; // more at once would starve the rest of the gateway of CPU
const MAX_PER_USER = 2;
const MAX_WAITING = 256;
const MAX_WAITING_PER_USER = 64;
const BUSY_RETRY_S = 10;
const PRIORITY = 10; // as `nice` sets it: behind the gateway, which has 0

/** A passphrase with the key it decrypts, or the parameters it is stretched with. */
export type KeyTask =
  | { readonly kind: 'openssh' | 'pem'; readonly text: string; readonly passphrase: string }
  | ({ readonly kind: 'bcrypt'; readonly passphrase: string } & BcryptParameters)
  | { readonly kind: 'argon2'; readonly parameters: Argon2Parameters; readonly passphrase: string };

export interface BcryptParameters {
  readonly salt: Uint8Array;
  readonly rounds: number;
  /** How long the hash is to be. */
  readonly bytes: number;
}

/** Parameters under the names of `@node-rs/argon2`. */
export interface Argon2Parameters {
  readonly algorithm: number;
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
  readonly salt: Uint8Array;
  readonly outputLen: number;
}

const Answer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('failed'), reason: z.string(), code: z.string() }),
]);
export type Answer = z.infer<typeof Answer>;

export type Decrypted =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly cause: Error }
  | { readonly kind: 'overdue' };

/** Resolves with the key as unencrypted PEM; for Argon2 and bcrypt, with the hash in base64. */
export type Decrypter = (task: KeyTask) => Promise<Decrypted>;

/** Runs each task in a process of its own: unlike a thread, a process can be ended in the middle of a native call. */
export interface KeyProcesses {
  decrypterFor(asker: KeyAsker): Decrypter;
  /** From now on, the processes end with this one, however it exits. */
  start(): void;
  stop(): void;
}

export function createKeyProcesses(clock: Clock): KeyProcesses {
  const acquire = createFairSlots({
    concurrency: MAX_PROCESSES,
    concurrency_per_owner: MAX_PER_USER,
    max_waiting: MAX_WAITING,
    max_waiting_per_owner: MAX_WAITING_PER_USER,
    tooMany: tooManyKeyJobs,
  });
  const running = new Set<ChildProcess>();

  function endAll(): void {
    for (const child of running) end(child);
  }

  return {
    start: () => void process.once('exit', endAll),
    stop() {
      process.off('exit', endAll);
      endAll();
    },
    decrypterFor: (asker) => async (task) => {
      const release = await acquire(ownerOf(asker), asker.signal);
      try {
        return await outcomeOf(task, { running, clock, signal: asker.signal });
      } finally {
        release();
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

interface Running {
  readonly running: Set<ChildProcess>;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

async function outcomeOf(task: KeyTask, { running, clock, signal }: Running): Promise<Decrypted> {
  const child = startProcess();
  running.add(child);
  let cancel = () => {};
  const late = new Promise<Decrypted>((resolve) => {
    cancel = clock.after(TIME_LIMIT_MS, () => resolve({ kind: 'overdue' }));
  });
  try {
    const outcome = Promise.race([answerOf(child, task), late]);
    return await (signal ? untilAborted(signal, outcome) : outcome);
  } finally {
    cancel();
    running.delete(child);
    end(child);
  }
}

async function answerOf(child: ChildProcess, task: KeyTask): Promise<Decrypted> {
  const message = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.on('error', reject);
    child.once('exit', (code, by) =>
      reject(new Error(`A process of a private key ended with ${by ?? code}`)),
    );
    child.once('spawn', () => child.send(task, () => undefined)); // one that ended reports its exit
  });
  const answer = Answer.parse(message);
  if (answer.kind === 'text') return answer;
  return { kind: 'failed', cause: Object.assign(new Error(answer.reason), { code: answer.code }) };
}

/** Without the check for one that could not start, Node would end the group of processes that the gateway belongs to. */
function end(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL');
}

/** Without the environment, which holds secrets. */
function startProcess(): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  lowerPriority(child);
  child.unref();
  child.channel?.unref();
  return child;
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, PRIORITY);
  } catch {
    // It may have ended already, or the system may not allow it.
  }
}
