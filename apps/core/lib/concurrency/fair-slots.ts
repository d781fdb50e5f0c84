export interface FairSlotsOptions {
  readonly concurrency: number;
  readonly concurrency_per_owner: number;
  /** How much work may wait; more is refused with `tooMany()`, but every owner may have one piece waiting. */
  readonly max_waiting: number;
  readonly max_waiting_per_owner: number;
  readonly tooMany: () => Error;
}

/** Waits for a slot and rejects when `signal` aborts; owners take turns. The result releases the slot. */
export type AcquireFairSlot = (owner: string, signal?: AbortSignal) => Promise<() => void>;

interface Owner {
  running: number;
  readonly waiting: Set<() => void>;
}

export function createFairSlots(options: FairSlotsOptions): AcquireFairSlot {
  const owners = new Map<string, Owner>(); // the owner served last is at the end
  let running = 0;
  let waiting = 0;

  function admitWaiting(): void {
    for (const [name, owner] of owners) {
      if (running >= options.concurrency) return;
      const [admit] = owner.waiting;
      if (!admit || owner.running >= options.concurrency_per_owner) continue;
      owners.delete(name);
      owners.set(name, owner);
      owner.running += 1;
      running += 1;
      leaveQueue(owner, admit);
      admit();
    }
  }

  function leaveQueue(owner: Owner, admit: () => void): void {
    if (owner.waiting.delete(admit)) waiting -= 1;
  }

  function isFull(owner: Owner): boolean {
    if (owner.waiting.size >= options.max_waiting_per_owner) return true;
    return owner.waiting.size > 0 && waiting >= options.max_waiting;
  }

  function forgetIdle(name: string, owner: Owner): void {
    if (owner.running === 0 && owner.waiting.size === 0) owners.delete(name);
  }

  function releaser(name: string, owner: Owner): () => void {
    let is_held = true;
    return () => {
      if (!is_held) return;
      is_held = false;
      owner.running -= 1;
      running -= 1;
      forgetIdle(name, owner);
      admitWaiting();
    };
  }

  return async (name, signal) => {
    signal?.throwIfAborted();
    const owner = owners.get(name) ?? { running: 0, waiting: new Set() };
    if (isFull(owner)) throw options.tooMany();
    owners.set(name, owner);
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        leaveQueue(owner, admit);
        forgetIdle(name, owner);
        reject(signal?.reason);
      };
      owner.waiting.add(admit);
      waiting += 1;
      signal?.addEventListener('abort', giveUp, { once: true });
      admitWaiting();
    });
    return releaser(name, owner);
  };
}
