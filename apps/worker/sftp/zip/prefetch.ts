import type { ZipMember } from './stream.ts';

const MAX_MEMBERS = 64;
const MAX_OPEN = 3; // of those that are too large to be held

/** Open or in memory; without a member when there is nothing to it after all. */
export interface PreparedMember {
  readonly member: ZipMember | undefined;
  close(): Promise<void>;
}

export interface PrefetchOptions<T> {
  /** Batches in order. */
  readonly plan: AsyncIterable<readonly T[]>;
  /** Bytes held; or `open` when nothing is but the file. */
  readonly cost: (planned: T) => number | 'open';
  readonly prepare: (planned: T) => Promise<PreparedMember>;
  /** How much may be held just now. */
  readonly max_bytes: () => number;
  /** Closes what is open when it aborts. */
  readonly signal: AbortSignal;
}

/** Members in the order of the plan, many of them begun before it is their turn. */
export async function* prefetched<T>(options: PrefetchOptions<T>): AsyncGenerator<ZipMember> {
  const queue = createPrefetchQueue(options);
  const reader = createPlanReader(options.plan);
  const drop = () => queue.drop();
  options.signal.addEventListener('abort', drop, { once: true });
  try {
    for (;;) {
      options.signal.throwIfAborted(); // nothing is begun any more, and what is planned would never end
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

/** Those in work, in order, and the one whose turn it is. */
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
    entry.ready.catch(() => {}); // it is told when its turn comes
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
    entry.ready.then((ready) => ready.close()).catch(() => {}); // it never opened, or its channel is gone
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

/** The plan, fetched so far that there is always something to begin. */
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
      fetching.then(onFetched, () => {}); // `more` tells
    },
    /** False at the end of the plan. */
    more: async () => planned.length > 0 || (fetching ?? Promise.resolve(true)),
    stop: async () => {
      await batches.return?.();
    },
  };
}
