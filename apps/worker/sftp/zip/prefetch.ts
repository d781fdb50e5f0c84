import type { ZipMember } from './stream.ts';

const MAX_MEMBERS = 64;
const MAX_OPEN = 3; // of those that are too large to be held

/** Open or in memory; without a member when there is nothing to it after all. */
export interface Ready {
  readonly member: ZipMember | undefined;
  close(): Promise<void>;
}

export interface AheadOptions<T> {
  /** Batches in order. */
  readonly plan: AsyncIterable<readonly T[]>;
  /** Bytes held; or `open` when nothing is but the file. */
  readonly cost: (planned: T) => number | 'open';
  readonly begin: (planned: T) => Promise<Ready>;
  /** How much may be held just now. */
  readonly most_bytes: () => number;
  /** Closes what is open when it aborts. */
  readonly signal: AbortSignal;
}

/** Members in the order of the plan, many of them begun before it is their turn. */
export async function* begunAhead<T>(options: AheadOptions<T>): AsyncGenerator<ZipMember> {
  const begun = createBegun(options);
  const coming = createComing(options.plan);
  const drop = () => begun.drop();
  options.signal.addEventListener('abort', drop, { once: true });
  try {
    for (;;) {
      options.signal.throwIfAborted(); // nothing is begun any more, and what is planned would never end
      begun.addFrom(coming.planned);
      coming.fetch(() => begun.addFrom(coming.planned));
      const member = await begun.next();
      if (member) yield member;
      else if (begun.isEmpty() && !(await coming.more())) return;
    }
  } finally {
    options.signal.removeEventListener('abort', drop);
    begun.drop();
    await coming.stop();
  }
}

interface Begun {
  readonly ready: Promise<Ready>;
  readonly bytes: number;
  readonly open: number;
}

/** Those in work, in order, and the one whose turn it is. */
function createBegun<T>({ cost, begin, most_bytes, signal }: AheadOptions<T>) {
  const line: Begun[] = [];
  let current: Begun | undefined;
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
    line.push(entry);
  }
  function hasRoom(planned: T): boolean {
    const costs = cost(planned);
    if (line.length === 0) return true;
    return line.length < MAX_MEMBERS && (costs === 'open' ? open < MAX_OPEN : bytes + costs <= most_bytes());
  }
  function leave(entry: Begun): void {
    bytes -= entry.bytes;
    open -= entry.open;
    entry.ready.then((ready) => ready.close()).catch(() => {}); // it never opened, or its channel is gone
  }
  return {
    isEmpty: () => line.length === 0,
    addFrom(planned: T[]): void {
      for (let first = planned[0]; first && !signal.aborted && hasRoom(first); first = planned[0]) {
        add(first);
        planned.shift();
      }
    },
    async next(): Promise<ZipMember | undefined> {
      if (current) leave(current);
      current = line.shift();
      return (await current?.ready)?.member;
    },
    drop(): void {
      for (const entry of line.splice(0)) leave(entry);
      if (current) leave(current);
      current = undefined;
    },
  };
}

/** The plan, fetched so far that there is always something to begin. */
function createComing<T>(plan: AsyncIterable<readonly T[]>) {
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
