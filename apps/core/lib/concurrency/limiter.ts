import type { After } from '../time/timers.ts';

export interface SlotsOptions {
  readonly concurrency: number;
  /** A slot that is held for longer passes to the next one: its holder is waiting, not working. */
  readonly lease?: { readonly after: After; readonly ms: number };
}

/** Waits for a slot, first come first served, and rejects when `signal` aborts. The result releases the slot. */
export type AcquireSlot = (signal?: AbortSignal) => Promise<() => void>;

export function createSlots({ concurrency, lease }: SlotsOptions): AcquireSlot {
  const queue = createQueue(concurrency);
  return async (signal) => {
    signal?.throwIfAborted();
    if (!queue.enter()) await queue.wait(signal);
    let cancel = () => {};
    let is_held = true;
    const release = () => {
      if (!is_held) return;
      is_held = false;
      cancel();
      queue.leave();
    };
    if (lease) cancel = lease.after(lease.ms, release);
    return release;
  };
}

export interface KeyedSlots {
  /** Takes a free slot; undefined when the key has none, or others wait for it. The result releases the slot. */
  enter(key: string): (() => void) | undefined;
  /** Waits for a slot; rejects when `signal` aborts, and with `tooMany()` when too many wait. */
  wait(key: string, signal: AbortSignal): Promise<() => void>;
}

/** Slots for each key. */
export function createKeyedSlots(concurrency: number, { max_waiting, tooMany }: WaitingLimit): KeyedSlots {
  const entries = new Map<string, { readonly queue: ReturnType<typeof createQueue>; users: number }>();

  function join(key: string) {
    const entry = entries.get(key) ?? { queue: createQueue(concurrency), users: 0 };
    entries.set(key, entry);
    entry.users += 1;
    const leave = () => {
      entry.users -= 1;
      if (entry.users === 0) entries.delete(key);
    };
    return { ...entry, leave };
  }

  const releaser = ({ queue, leave }: ReturnType<typeof join>) => {
    let is_held = true;
    return () => {
      if (!is_held) return;
      is_held = false;
      queue.leave();
      leave();
    };
  };

  return {
    enter(key) {
      const joined = join(key);
      if (joined.queue.enter()) return releaser(joined);
      joined.leave();
      return undefined;
    },
    async wait(key, signal) {
      const joined = join(key);
      try {
        signal.throwIfAborted();
        if (joined.queue.waiting() >= max_waiting) throw tooMany();
        if (!joined.queue.enter()) await joined.queue.wait(signal);
      } catch (error) {
        joined.leave();
        throw error;
      }
      return releaser(joined);
    },
  };
}

export interface WaitingLimit {
  /** How much work may wait; more is refused with `tooMany()`. */
  readonly max_waiting: number;
  readonly tooMany: () => Error;
}

export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `concurrency` pieces of work at a time; the others wait in order. */
export function createLimiter(concurrency: number, waiting_limit?: WaitingLimit): Limiter {
  const queue = createQueue(concurrency);
  return async (work) => {
    if (waiting_limit && queue.waiting() >= waiting_limit.max_waiting) throw waiting_limit.tooMany();
    if (!queue.enter()) await queue.wait();
    try {
      return await work();
    } finally {
      queue.leave();
    }
  };
}

export type KeyedLimiter = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A limiter for each key. */
export function createKeyedLimiter(concurrency: number, waiting_limit?: WaitingLimit): KeyedLimiter {
  const entries = new Map<string, { readonly limit: Limiter; users: number }>();
  return async (key, work) => {
    const entry = entries.get(key) ?? { limit: createLimiter(concurrency, waiting_limit), users: 0 };
    entries.set(key, entry);
    entry.users += 1;
    try {
      return await entry.limit(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) entries.delete(key);
    }
  };
}

function createQueue(concurrency: number) {
  const waiting = new Set<() => void>();
  let free = concurrency;
  return {
    waiting: () => waiting.size,
    /** False when there is no free slot. */
    enter(): boolean {
      if (free === 0) return false;
      free -= 1;
      return true;
    },
    wait(signal?: AbortSignal): Promise<void> {
      return new Promise((resolve, reject) => {
        const admit = () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = () => {
          waiting.delete(admit);
          reject(signal?.reason);
        };
        waiting.add(admit);
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
    /** Passes the slot to the caller that has waited longest. */
    leave(): void {
      const [next] = waiting;
      if (!next) {
        free += 1;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
