import { Worker } from 'node:worker_threads';
import { withDeadline } from '#core/lib/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';

/** What a thread may be asked, by name. */
export type Verbs<V> = { readonly [K in keyof V]: { readonly request: object; readonly response: unknown } };

export interface Thread<V extends Verbs<V>> {
  /** Rejects with what the verb throws (`code` of the system's errors with it), or with why the thread ended. */
  call<K extends keyof V & string>(
    verb: K,
    order: V[K]['request'],
    transfer?: readonly ArrayBuffer[],
  ): Promise<V[K]['response']>;
  /** It does not end for having nothing to do until the returned function is called; `died` is told when it ends all the same. */
  hold(died: (cause: Error) => void): () => void;
}

/** One thread at a time, which comes with the first order and goes when nothing is asked for long. */
export interface Threads<V extends Verbs<V>> {
  get(): Thread<V>;
  /** Ends the one that runs; there will be no other. */
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
      if (is_stopped) throw new Error('No thread is started any more');
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

const MAX_HEAP_MB = 512; // what a host sends may end the thread, never the gateway
const END_MS = 2_000; // a thread that waits for a disk cannot be ended

export interface ThreadOptions {
  /** Plain JavaScript: Node starts no thread from TypeScript. */
  readonly entry: URL;
  readonly clock: Clock;
  /** Taken for dead when nothing was heard for so long, up to half as long again, although something was asked. */
  readonly silence_ms: number;
  readonly idle_ms: number;
  ended(): void;
}

interface PendingCall {
  resolve(answer: unknown): void;
  reject(cause: Error): void;
}

/** As serve.mjs posts it; `seq` is 0 when it says only that it is at work. */
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
    // Without what the gateway was started with: no secret in the environment, no loader of TypeScript.
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
    this.#worker = new Worker(options.entry, { env: {}, execArgv: [], resourceLimits });
    const end = (cause: unknown) => void this.end(cause instanceof Error ? cause : new Error(String(cause)));
    this.#silence = createSilenceWatch(options.clock, options.silence_ms, () => end('The thread hangs'));
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
      if (this.#pending.size === 0) this.#worker.ref(); // the process waits for what was asked, for nothing else
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
    this.#cancelIdle = clock.after(idle_ms, () => void this.end(new Error('It had nothing to do')));
  }

  async #terminate(): Promise<void> {
    const { after } = this.#options.clock;
    const error = () => new Error(`The thread did not end within ${END_MS} ms`);
    await withDeadline(this.#worker.terminate(), { after, ms: END_MS, error }).catch(() => undefined);
  }
}

export interface SilenceWatch {
  /** Something is waited for, also if it was before. */
  start(): void;
  heard(): void;
  stop(): void;
}

/** Tells when nothing was heard for `silence_ms`; a clock that leaps, as after a sleep of the machine, counts for little. */
export function createSilenceWatch(clock: Clock, silence_ms: number, silent: () => void): SilenceWatch {
  let cancel: (() => void) | undefined;
  let misses = 0;
  function tick(): void {
    misses += 1;
    if (misses > 2) silent();
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
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
