import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { type GatewayClient, take } from '#client/client.ts';
import type { Entry } from './list/entries.ts';

const LIMIT = 500;

export type SearchState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'searching'; readonly wanted: string }
  | {
      readonly kind: 'found';
      readonly wanted: string;
      readonly entries: readonly Entry[];
      readonly truncated: boolean;
    }
  | { readonly kind: 'cancelled'; readonly wanted: string }
  | { readonly kind: 'failed'; readonly wanted: string; readonly error: unknown };

export interface FileSearch {
  readonly search_open: Accessor<boolean>;
  readonly search: Accessor<SearchState>;
  openSearch(): void;
  closeSearch(): void;
  /** Searches below the current directory. */
  find(wanted: string): Promise<void>;
  cancelSearch(): void;
}

export function createFileSearch(
  client: GatewayClient,
  server_id: number,
  path: Accessor<string>,
): FileSearch {
  const [search_open, setOpen] = createSignal(false);
  const [search, setSearch] = createSignal<SearchState>({ kind: 'ready' });
  let present: AbortController | undefined;

  function stop(): void {
    present?.abort();
    present = undefined;
  }
  onCleanup(stop);

  async function find(wanted: string): Promise<void> {
    stop();
    const own = new AbortController();
    present = own;
    setSearch({ kind: 'searching', wanted });
    try {
      const query = { path: path(), q: wanted, limit: LIMIT };
      const params = { path: { server_id }, query };
      const answer = client.http.GET('/api/files/{server_id}/search', { params, signal: own.signal });
      const { entries, truncated } = await take(answer);
      if (present === own) setSearch({ kind: 'found', wanted, entries, truncated });
    } catch (error) {
      if (present === own) setSearch({ kind: 'failed', wanted, error });
    }
  }

  return {
    search_open,
    search,
    openSearch: () => setOpen(true),
    closeSearch() {
      stop();
      setSearch({ kind: 'ready' });
      setOpen(false); // then the list is there and takes the focus
    },
    find,
    cancelSearch() {
      const now = search();
      stop();
      if (now.kind === 'searching') setSearch({ kind: 'cancelled', wanted: now.wanted });
    },
  };
}
