import type { ZipMember } from './stream.ts';

const MAX_MEMBERS = 64;
const MAX_OPEN = 3; // members too large to hold in memory

/** A member that is open or in memory; undefined if it was skipped after all. */
export interface PreparedMember {
  readonly member: ZipMember | undefined;
  close(): Promise<void>;
}

export interface PrefetchOptions<T> {
  /** Batches in order. */
  readonly plan: AsyncIterable<readonly T[]>;
  /** Bytes held in memory, or `open` when only the file is open. */
  readonly cost: (planned: T) => number | 'open';
  readonly prepare: (planned: T) => Promise<PreparedMember>;
  /** How much may be held at the moment. */
  readonly max_bytes: () => number;
  /** Everything open is closed when it aborts. */
  readonly signal: AbortSignal;
}

/** Yields members in plan order, preparing many of them ahead. */
export async function* prefetched<T>(options: PrefetchOptions<T>): AsyncGenerator<ZipMember> {
  const queue = createPrefetchQueue(options);
  const reader = createPlanReader(options.plan);
  const drop = () => queue.drop();
  options.signal.addEventListener('abort', drop, { once: true });
  try {
    for (;;) {
      options.signal.throwIfAborted(); // nothing is prepared after an abort, so the loop would never end
      queue.addFrom(reader.planned);
      reader.fetch(() => queue.addFrom(reader.planned));
      const member = await queue.next();
      if (member) yield member;
      else if (queue.isEmpty() && !(await reader.more())) return;
    }
  } finally {
    options.signal.removeEventListener('abort', drop);
    queue.drop();
    await reader.stop();
  }
}

interface Prefetch {
  readonly ready: Promise<PreparedMember>;
  readonly bytes: number;
  readonly open: number;
}

/** Members being prepared, in order, and the current one. */
function createPrefetchQueue<T>({ cost, prepare: begin, max_bytes, signal }: PrefetchOptions<T>) {
  const queue: Prefetch[] = [];
  let current: Prefetch | undefined;
  let bytes = 0;
  let open = 0;
  function add(planned: T): void {
    const costs = cost(planned);
    const entry = {
      bytes: costs === 'open' ? 0 : costs,
      open: costs === 'open' ? 1 : 0,
      ready: begin(planned),
    };
    entry.ready.catch(() => {}); // reported when the member is due
    bytes += entry.bytes;
    open += entry.open;
    queue.push(entry);
  }
  function hasRoom(planned: T): boolean {
    const costs = cost(planned);
    if (queue.length === 0) return true;
    return queue.length < MAX_MEMBERS && (costs === 'open' ? open < MAX_OPEN : bytes + costs <= max_bytes());
  }
  function leave(entry: Prefetch): void {
    bytes -= entry.bytes;
    open -= entry.open;
    entry.ready.then((ready) => ready.close()).catch(() => {}); // it never opened, or the channel is gone
  }
  return {
    isEmpty: () => queue.length === 0,
    addFrom(planned: T[]): void {
      for (let first = planned[0]; first && !signal.aborted && hasRoom(first); first = planned[0]) {
        add(first);
        planned.shift();
      }
    },
    async next(): Promise<ZipMember | undefined> {
      if (current) leave(current);
      current = queue.shift();
      return (await current?.ready)?.member;
    },
    drop(): void {
      for (const entry of queue.splice(0)) leave(entry);
      if (current) leave(current);
      current = undefined;
    },
  };
}

/** Reads the plan just far enough ahead that there is always a member to prepare. */
function createPlanReader<T>(plan: AsyncIterable<readonly T[]>) {
  const batches = plan[Symbol.asyncIterator]();
  const planned: T[] = [];
  let fetching: Promise<boolean> | undefined;
  async function fetchOne(): Promise<boolean> {
    const { done, value } = await batches.next();
    if (done) return false;
    planned.push(...value);
    fetching = undefined;
    return true;
  }
  return {
    planned,
    fetch(onFetched: () => void): void {
      if (fetching || planned.length >= MAX_MEMBERS) return;
      fetching = fetchOne();
      fetching.then(onFetched, () => {}); // reported by `more`
    },
    /** False at the end of the plan. */
    more: async () => planned.length > 0 || (fetching ?? Promise.resolve(true)),
    stop: async () => {
      await batches.return?.();
    },
  };
}
