import { Worker } from 'node:worker_threads';
import { withDeadline } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';

/** The calls a thread answers, by name. */
export type Verbs<V> = { readonly [K in keyof V]: { readonly request: object; readonly response: unknown } };

export interface Thread<V extends Verbs<V>> {
  /** Rejects with the error of the verb, including the `code` of system errors, or with the reason why the thread ended. */
  call<K extends keyof V & string>(
    verb: K,
    order: V[K]['request'],
    transfer?: readonly ArrayBuffer[],
  ): Promise<V[K]['response']>;
  /** Keeps an idle thread alive until the returned function is called; `died` runs if it ends nevertheless. */
  hold(died: (cause: Error) => void): () => void;
}

/** One thread at a time, started by the first request and ended when idle. */
export interface Threads<V extends Verbs<V>> {
  get(): Thread<V>;
  /** Ends the running thread and starts no other. */
  stop(): Promise<void>;
}

export interface ThreadsOptions extends Omit<ThreadOptions, 'ended'> {
  readonly clock: Clock;
}

export function createThreads<V extends Verbs<V>>(options: ThreadsOptions): Threads<V> {
  let running: RunningThread<V> | undefined;
  let is_stopped = false;
  return {
    get() {
      if (is_stopped) throw new Error('The thread pool is stopped');
      running ??= new RunningThread<V>({
        ...options,
        ended() {
          running = undefined;
        },
      });
      return running;
    },
    async stop() {
      is_stopped = true;
      await running?.end(new Error('The thread was stopped'));
    },
  };
}

const MAX_HEAP_MB = 512; // output of a host may crash the thread, never the gateway
const STARTING_MS = 30_000; // on a busy machine, loading the modules of a thread takes seconds
const END_MS = 2_000; // a thread blocked on a disk cannot be terminated

export interface ThreadOptions {
  /** Plain JavaScript, because Node does not start threads from TypeScript. */
  readonly entry: URL;
  readonly clock: Clock;
  /** A thread that has started counts as dead after this much silence, at most half as much again, while calls are pending. */
  readonly silence_ms: number;
  readonly idle_ms: number;
  ended(): void;
}

interface PendingCall {
  resolve(answer: unknown): void;
  reject(cause: Error): void;
}

/** A message from serve.mjs; `seq` 0 only reports that the thread is working. */
interface Reply {
  readonly seq: number;
  readonly answer?: unknown;
  readonly error?: { readonly code: string | undefined; readonly message: string };
}

export class RunningThread<V extends Verbs<V>> implements Thread<V> {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  readonly #silence: SilenceWatch;
  readonly #pending = new Map<number, PendingCall>();
  readonly #holders = new Set<(cause: Error) => void>();
  #last_seq = 0;
  #ended: Error | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
    // No secrets from the environment, and no TypeScript loader.
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
    this.#worker = new Worker(options.entry, { env: {}, execArgv: [], resourceLimits });
    const end = (cause: unknown) => void this.end(cause instanceof Error ? cause : new Error(String(cause)));
    this.#silence = createSilenceWatch(options.clock, options.silence_ms, () =>
      end('The thread does not respond'),
    );
    this.#worker.unref();
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', end);
    this.#worker.on('exit', (code) => end(`The thread ended with ${code}`));
  }

  call<K extends keyof V & string>(
    verb: K,
    order: V[K]['request'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<V[K]['response']> {
    return new Promise((resolve, reject) => {
      if (this.#ended) throw this.#ended;
      this.#cancelIdle?.();
      if (this.#pending.size === 0) this.#worker.ref(); // keeps the process alive only while calls are pending
      this.#last_seq += 1;
      this.#pending.set(this.#last_seq, { resolve, reject });
      this.#silence.start();
      this.#worker.postMessage({ seq: this.#last_seq, verb, order }, [...transfer]);
    });
  }

  hold(died: (cause: Error) => void): () => void {
    if (this.#ended) throw this.#ended;
    this.#cancelIdle?.();
    this.#holders.add(died);
    return () => {
      if (this.#holders.delete(died)) this.#goIdle();
    };
  }

  async end(cause: Error): Promise<void> {
    if (this.#ended) return;
    this.#ended = cause;
    this.#silence.stop();
    this.#cancelIdle?.();
    this.#options.ended();
    for (const died of this.#holders) died(cause);
    for (const { reject } of this.#pending.values()) reject(cause);
    await this.#terminate();
  }

  #settle({ seq, answer, error }: Reply): void {
    this.#silence.heard();
    const asked = this.#pending.get(seq);
    if (!asked || this.#ended) return;
    this.#pending.delete(seq);
    if (error) asked.reject(Object.assign(new Error(error.message), { code: error.code }));
    else asked.resolve(answer);
    this.#goIdle();
  }

  #goIdle(): void {
    if (this.#pending.size > 0 || this.#ended) return;
    this.#silence.stop();
    this.#worker.unref();
    if (this.#holders.size > 0) return;
    const { clock, idle_ms } = this.#options;
    this.#cancelIdle?.();
    this.#cancelIdle = clock.after(idle_ms, () => void this.end(new Error('The idle thread was ended')));
  }

  async #terminate(): Promise<void> {
    const { after } = this.#options.clock;
    const error = () => new Error(`The thread did not end within ${END_MS} ms`);
    await withDeadline(this.#worker.terminate(), { after, ms: END_MS, error }).catch(() => undefined);
  }
}

export interface SilenceWatch {
  /** Starts watching, if not already. */
  start(): void;
  heard(): void;
  stop(): void;
}

/**
 * Calls `silent` after `silence_ms` without a sign of life, before the first one after `STARTING_MS`; a clock jump, as after a
 * suspend, counts as one missed tick.
 */
export function createSilenceWatch(clock: Clock, silence_ms: number, silent: () => void): SilenceWatch {
  let cancel: (() => void) | undefined;
  let misses = 0;
  let allowed = Math.max(2, Math.ceil(STARTING_MS / (silence_ms / 2)));
  function tick(): void {
    misses += 1;
    if (misses > allowed) silent();
    else cancel = clock.after(silence_ms / 2, tick);
  }
  return {
    start() {
      if (cancel) return;
      misses = 0;
      cancel = clock.after(silence_ms / 2, tick);
    },
    heard() {
      misses = 0;
      allowed = 2;
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
