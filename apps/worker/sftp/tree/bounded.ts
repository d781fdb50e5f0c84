/** Runs `work` for every item, at most `limit` at a time; starts no more after a failure. */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of rest) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

/** Runs `work` for the first item and for items it adds, newest first, at most `limit` at a time. */
export function runWorklist<T>(
  first: T,
  limit: number,
  work: (item: T, add: (item: T) => void) => Promise<void>,
): Promise<void> {
  const waiting = [first];
  let active = 0;
  let failed = false;
  return new Promise((resolve, reject) => {
    const add = (item: T) => {
      waiting.push(item);
      proceed();
    };
    const settle = () => {
      active -= 1;
      proceed();
    };
    const fail = (error: unknown) => {
      failed = true;
      reject(error);
    };
    function proceed(): void {
      while (!failed && active < limit) {
        const item = waiting.pop();
        if (item === undefined) break;
        active += 1;
        work(item, add).then(settle, fail);
      }
      if (active === 0) resolve();
    }
    proceed();
  });
}
