import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createMemo, createSignal } from 'solid-js';
import { unwrap } from 'solid-js/store';
import type { App } from '../../app/context.ts';
import { configQuery } from '../../lib/gateway-info.ts';
import { type FileServer, usePaneHost } from '../../workspace/panes/host.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import {
  arrange,
  type Column,
  type Entry,
  filtered,
  homeQuery,
  listingQuery,
  nextOrder,
  type Order,
} from './entries.ts';

export interface FileListing {
  readonly server: Accessor<FileServer | undefined>;
  readonly is_demo: Accessor<boolean>;
  readonly path: Accessor<string>;
  /** What a tab without a path shows, once it is known. */
  readonly home: Accessor<string | undefined>;
  /** Sorted, without hidden entries. */
  readonly entries: Accessor<readonly Entry[]>;
  /** Including hidden entries. */
  readonly all: Accessor<readonly Entry[]>;
  readonly hidden_count: Accessor<number>;
  /** Shows only names that contain this. */
  readonly filter: Accessor<string>;
  setFilter(text: string): void;
  /** The name of an owner or a group; the id where the host does not report it. */
  ownerOf(entry: Entry): string;
  groupOf(entry: Entry): string;
  readonly order: Accessor<Order>;
  readonly loading: Accessor<boolean>;
  /** The directory has not loaded yet. */
  readonly pending: Accessor<boolean>;
  readonly error: Accessor<unknown>;
  /** The home directory on the host, or its substitute. */
  askHome(): Promise<string>;
  sortBy(column: Column): void;
  refresh(): Promise<unknown>;
  /** Refreshes all listings of this server, including other panes. */
  refreshAll(): Promise<unknown>;
}

const PART = /^\.sallyport-[\w-]+\.part$/; // temporary file of an upload in progress

function countOf(entries: readonly Entry[]): number {
  return entries.reduce((count, { name }) => (PART.test(name) ? count : count + 1), 0);
}

/** The sorted listing of a tab's directory. */
export function createFileListing({ client, preferences }: App, tab: Tab): FileListing {
  const queries = useQueryClient();
  const { servers } = usePaneHost();
  const config = useQuery(() => configQuery(client));
  const server = () => servers()?.find(({ id }) => id === tab.server_id);
  const home = useQuery(() => ({ ...homeQuery(client, tab.server_id), enabled: tab.path === '' }));
  const known_path = createMemo(() => tab.path || home.data?.path);
  const path = () => known_path() ?? '/';
  const [order, setOrder] = createSignal<Order>({ column: 'name', descending: false });
  const listing = useQuery(() => ({
    ...listingQuery(client, tab.server_id, path()),
    enabled: known_path() !== undefined,
  }));
  const asked = () => (known_path() === undefined ? home : listing);
  // Store proxies would make sorting 100,000 entries slow.
  const all = createMemo((): readonly Entry[] => unwrap(listing.data)?.entries ?? []);
  const sorted = createMemo(() => arrange(all(), order(), preferences.values.hidden_files));
  const [filter, setFilter] = createSignal('');
  const entries = createMemo(() => filtered(sorted(), filter()));
  const names = createMemo(() => {
    const { users = {}, groups = {} } = unwrap(listing.data) ?? {};
    return { users, groups };
  });
  return {
    server,
    is_demo: () => config.data?.demo_mode === true,
    path,
    home: () => home.data?.path,
    entries,
    all,
    filter,
    setFilter,
    ownerOf: ({ owner }) => names().users[owner] ?? owner,
    groupOf: ({ group }) => names().groups[group] ?? group,
    hidden_count: () => countOf(all()) - countOf(sorted()),
    order,
    askHome: async () => (await queries.fetchQuery(homeQuery(client, tab.server_id))).path,
    sortBy: (column) => setOrder((present) => nextOrder(present, column)),
    pending: () => listing.isPending,
    loading: () => asked().isFetching || (asked().isPending && !asked().isError),
    error: () => asked().error,
    refresh: () => asked().refetch(),
    refreshAll: () => queries.invalidateQueries({ queryKey: ['listing', tab.server_id] }),
  };
}
