import type { Clock } from '#core/ports/runtime.ts';
import { RunningThread, type ThreadOptions } from './thread.ts';

/** What a thread may be asked, by name. */
export type Verbs<V> = { readonly [K in keyof V]: { readonly order: object; readonly answer: unknown } };

export interface Thread<V extends Verbs<V>> {
  /** Rejects with what the verb throws (`code` of the system's errors with it), or with why the thread ended. */
  ask<K extends keyof V & string>(
    verb: K,
    order: V[K]['order'],
    transfer?: readonly ArrayBuffer[],
  ): Promise<V[K]['answer']>;
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
