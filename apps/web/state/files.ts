import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js';
import { unwrap } from 'solid-js/store';
import type { Schemas } from '#client/client.ts';
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
  /** The refusal that names the hop, the server or a jump host before it, that stores no credential and was given none. */
  readonly sign_in_due: Accessor<ClientError | undefined>;
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
  /** For the hop that asks; when a further one does, `sign_in_due` names it. */
  signIn(typed: Schemas['TypedCredentials']): Promise<void>;
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
    ...createSignIn(app, tab, listing),
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
  | 'refresh'
>;

/** What is in the directory of a tab, arranged. */
function createListing({ client, preferences }: App, tab: Tab): ListingPart {
  const servers = useQuery(() => serversQuery(client));
  const server = () => servers.data?.find(({ id }) => id === tab.server_id);
  const path = createMemo(() => tab.path || (server()?.sftp_allowed_paths[0] ?? '/'));
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
    refresh: () => listing.refetch(),
  };
}

type SignInPart = Pick<FileTab, 'sign_in_due' | 'signIn'>;

function createSignIn({ client }: App, tab: Tab, { error, pending, refresh }: ListingPart): SignInPart {
  const [further, setFurther] = createSignal<ClientError>();
  createEffect(on(error, (refusal) => refusal !== null && setFurther(undefined))); // the newer word
  /** While the list is asked for again it has no error; the form stays, with what is typed in it. */
  const of_listing = createMemo<ClientError | undefined>((before) => {
    const refusal = error();
    if (refusal === null && pending()) return before;
    return isSignInDue(refusal) ? refusal : undefined;
  });
  return {
    sign_in_due: () => of_listing() && (further() ?? of_listing()),
    async signIn(body) {
      const params = { path: { server_id: tab.server_id } };
      try {
        await client.http.POST('/api/files/{server_id}/connect', { params, body });
      } catch (refusal) {
        if (isSignInDue(refusal)) return void setFurther(refusal);
        await refresh(); // a hop before may have refused what was typed for it, and asks again
        throw refusal;
      }
      await refresh();
    },
  };
}

export function isSignInDue(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'credentials_required';
}
