import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js';
import { unwrap } from 'solid-js/store';
import { fileLink } from '#client/download.ts';
import type { App } from './app-context.ts';
import { arrange, type Entry, listingQuery, nextOrder, type Column, type Order } from './listing.ts';
import { nameOf, parentOf } from './paths.ts';
import { serversQuery, type Server } from './servers.ts';
import type { Tab } from './tabs.ts';

export interface Failure {
  readonly title: string;
  readonly error: unknown;
}

export interface FileTab {
  readonly server: Accessor<Server | undefined>;
  readonly path: Accessor<string>;
  readonly entries: Accessor<readonly Entry[]>;
  readonly hidden_count: Accessor<number>;
  readonly order: Accessor<Order>;
  readonly cursor: Accessor<number>;
  readonly loading: Accessor<boolean>;
  readonly error: Accessor<unknown>;
  /** A download that was refused. */
  readonly failure: Accessor<Failure | undefined>;
  /** The file that is shown as text. */
  readonly viewed: Accessor<string | undefined>;
  go(path: string): void;
  goUp(): void;
  openEntry(entry: Entry | undefined): void;
  view(path: string | undefined): void;
  sortBy(column: Column): void;
  setCursor(index: number): void;
  refresh(): void;
  download(path: string): Promise<void>;
  dismiss(): void;
}

interface Options {
  readonly app: App;
  readonly tab: Tab;
  readonly onPath: (path: string) => void;
}

/** One file tab: where it is, what is there, what is chosen. */
export function createFileTab({ app, tab, onPath }: Options): FileTab {
  const { client, preferences, t } = app;
  const servers = useQuery(() => serversQuery(client));
  const server = () => servers.data?.find(({ id }) => id === tab.server_id);
  const start = () => server()?.sftp_allowed_paths[0] ?? '/';
  const path = () => tab.path || start();
  const [order, setOrder] = createSignal<Order>({ column: 'name', descending: false });
  const [cursor, setCursor] = createSignal(0);
  const [failure, setFailure] = createSignal<Failure>();
  const [viewed, setViewed] = createSignal<string>();
  const listing = useQuery(() => ({
    ...listingQuery(client, tab.server_id, path()),
    enabled: tab.path !== '' || servers.data !== undefined,
  }));
  // A store's proxies would make sorting 100,000 entries slow.
  const all = createMemo((): readonly Entry[] => unwrap(listing.data)?.entries ?? []);
  const entries = createMemo(() => arrange(all(), order(), preferences.values.hidden_files));
  let came_from: string | undefined;

  function go(next: string): void {
    came_from = next === parentOf(path()) ? nameOf(path()) : undefined;
    setFailure(undefined);
    setViewed(undefined);
    onPath(next);
  }

  async function download(wanted: string): Promise<void> {
    setFailure(undefined);
    try {
      clickLink(await fileLink(client, tab.server_id, wanted), nameOf(wanted));
    } catch (error) {
      setFailure({ title: t('download_failed', { name: nameOf(wanted) }), error });
    }
  }

  createEffect(
    on(entries, (shown) => {
      const back = shown.findIndex(({ name }) => name === came_from);
      setCursor(Math.max(0, back));
    }),
  );

  return {
    server,
    path,
    entries,
    hidden_count: () => all().length - entries().length,
    order,
    cursor,
    loading: () => listing.isFetching || (listing.isPending && !listing.isError),
    error: () => listing.error,
    failure,
    viewed,
    go,
    goUp: () => path() !== '/' && go(parentOf(path())),
    openEntry(entry) {
      if (!entry?.addressable) return;
      if (entry.is_dir) go(entry.path);
      else setViewed(entry.path);
    },
    view: setViewed,
    sortBy: (column) => setOrder((present) => nextOrder(present, column)),
    setCursor,
    refresh: () => void listing.refetch(),
    download,
    dismiss: () => setFailure(undefined),
  };
}

/** The browser's own download: streamed to disk, shown in its list. */
function clickLink(href: string, name: string): void {
  const link = document.body.appendChild(document.createElement('a'));
  link.href = href;
  link.download = name;
  link.hidden = true;
  link.click();
  link.remove();
}
