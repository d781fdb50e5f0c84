import type { QueryClient } from '@tanstack/solid-query';

const PAUSE_MS = 1500; // many small files cause one refresh

export interface Refresh {
  /** A file was placed in this directory. */
  at(server_id: number, directory: string): void;
  /** Refreshes now for everything placed so far. */
  flush(): void;
}

/** Refreshes listings when files have arrived, but not for each file. */
export function createRefresh(queries: QueryClient): Refresh {
  const due = new Map<string, readonly unknown[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const keys = [...due.values()];
    due.clear();
    for (const queryKey of keys) queries.invalidateQueries({ queryKey, exact: true }).catch(() => undefined); // the list reports its own errors
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
