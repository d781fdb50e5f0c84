import type { QueryClient } from '@tanstack/solid-query';

const PAUSE_MS = 1500; // many small files are one news

export interface Refresh {
  /** Something was put there. */
  at(server_id: number, directory: string): void;
  /** What was told so far is shown now. */
  flush(): void;
}

/** Listings are asked for again when files have come, though not for each of them. */
export function createRefresh(queries: QueryClient): Refresh {
  const due = new Map<string, readonly unknown[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const keys = [...due.values()];
    due.clear();
    for (const queryKey of keys) queries.invalidateQueries({ queryKey, exact: true }).catch(() => undefined); // the list itself tells
  }

  return {
    flush,
    at(server_id, directory) {
      const queryKey = ['listing', server_id, directory];
      due.set(JSON.stringify(queryKey), queryKey);
      timer ??= setTimeout(flush, PAUSE_MS);
    },
  };
}
