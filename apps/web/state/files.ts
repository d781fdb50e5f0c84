import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js';
import { unwrap } from 'solid-js/store';
import { ClientError } from '#client/client-error.ts';
import { fileLink } from '#client/download.ts';
import type { App } from './app-context.ts';
import { arrange, type Column, type Entry, listingQuery, nextOrder, type Order } from './listing.ts';
import { nameOf, parentOf } from './paths.ts';
import { clickLink } from './save-file.ts';
import { type Server, serversQuery } from './servers.ts';
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
  /** Nothing of this directory is there yet. */
  readonly pending: Accessor<boolean>;
  readonly error: Accessor<unknown>;
  /** The server stores no credential, and none was typed, or not used for long. */
  readonly asks_sign_in: Accessor<boolean>;
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
  refresh(): Promise<unknown>;
  signIn(username: string, password: string): Promise<void>;
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
  const { client } = app;
  const listing = createListing(app, tab);
  const [cursor, setCursor] = createSignal(0);
  const [viewed, setViewed] = createSignal<string>();
  const { path, entries, refresh } = listing;
  const downloads = createDownloads(app, tab, refresh);
  let current_name: string | undefined; // the cursor stays with it when the list is sorted or read again

  function go(next: string): void {
    current_name = next === parentOf(path()) ? nameOf(path()) : undefined;
    downloads.dismiss();
    setViewed(undefined);
    onPath(next);
  }

  function view(wanted: string | undefined): void {
    downloads.dismiss();
    setViewed(wanted);
  }

  createEffect(
    on(entries, (shown) => {
      const at = shown.findIndex(({ name }) => name === current_name);
      setCursor(Math.max(0, at));
    }),
  );

  return {
    ...listing,
    ...downloads,
    cursor,
    viewed,
    go,
    goUp: () => path() !== '/' && go(parentOf(path())),
    openEntry(entry) {
      if (!entry?.addressable) return;
      if (entry.is_dir) go(entry.path);
      else view(entry.path);
    },
    view,
    setCursor(index) {
      current_name = entries()[index]?.name;
      setCursor(index);
    },
    async signIn(username, password) {
      const params = { path: { server_id: tab.server_id } };
      await client.http.POST('/api/files/{server_id}/connect', { params, body: { username, password } });
      await refresh();
    },
  };
}

type DownloadPart = Pick<FileTab, 'failure' | 'download' | 'dismiss'>;

function createDownloads({ client, t }: App, tab: Tab, refresh: FileTab['refresh']): DownloadPart {
  const [failure, setFailure] = createSignal<Failure>();
  const dismiss = () => setFailure(undefined);
  return {
    failure,
    dismiss,
    async download(path) {
      dismiss();
      const name = nameOf(path);
      try {
        clickLink(await fileLink(client, tab.server_id, path), name);
      } catch (error) {
        if (isSignInDue(error))
          await refresh(); // the list then asks for it
        else setFailure({ title: t('download_failed', { name }), error });
      }
    },
  };
}

type ListingPart = Pick<
  FileTab,
  | 'server'
  | 'path'
  | 'entries'
  | 'hidden_count'
  | 'order'
  | 'sortBy'
  | 'loading'
  | 'pending'
  | 'error'
  | 'asks_sign_in'
  | 'refresh'
>;

/** What is in the directory of a tab, arranged. */
function createListing({ client, preferences }: App, tab: Tab): ListingPart {
  const servers = useQuery(() => serversQuery(client));
  const server = () => servers.data?.find(({ id }) => id === tab.server_id);
  const path = () => tab.path || (server()?.sftp_allowed_paths[0] ?? '/');
  const [order, setOrder] = createSignal<Order>({ column: 'name', descending: false });
  const listing = useQuery(() => ({
    ...listingQuery(client, tab.server_id, path()),
    enabled: tab.path !== '' || servers.data !== undefined,
  }));
  // A store's proxies would make sorting 100,000 entries slow.
  const all = createMemo((): readonly Entry[] => unwrap(listing.data)?.entries ?? []);
  const entries = createMemo(() => arrange(all(), order(), preferences.values.hidden_files));
  return {
    server,
    path,
    entries,
    hidden_count: () => all().length - entries().length,
    order,
    sortBy: (column) => setOrder((present) => nextOrder(present, column)),
    pending: () => listing.isPending,
    loading: () => listing.isFetching || (listing.isPending && !listing.isError),
    error: () => listing.error,
    asks_sign_in: () => isSignInDue(listing.error) && server()?.auth_method === 'prompt',
    refresh: () => listing.refetch(),
  };
}

export function isSignInDue(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'credentials_required';
}
