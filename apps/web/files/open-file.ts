import { useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createSignal, type JSX } from 'solid-js';
import type { App } from '../app/context.ts';
import { parentOf } from '../lib/paths.ts';
import type { Command } from '../workspace/commands/command.ts';
import { type FileServer, usePaneHost } from '../workspace/panes/host.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import { createFileDownloads, type FileDownloads } from './downloads.ts';
import { listingQuery } from './list/entries.ts';
import { createFileSignIn, type FileSignIn } from './sign-in.ts';

/** What the view of one file needs from its surroundings. */
export interface OpenFile extends FileSignIn, Pick<FileDownloads, 'failure' | 'dismiss' | 'download'> {
  readonly server: Accessor<FileServer | undefined>;
  /** Reads the file's directory again, which updates the list and says whether the host asks to sign in. */
  refresh(): Promise<void>;
  /** Goes to the list that the file is in. */
  showList(): void;
  /** Closes the file. */
  close(): void;
  /** Offers what its row can do in the palette. */
  readonly offer?: ((commands: () => readonly Command[]) => void) | undefined;
  /** Further controls at the end of its row, with a menu that begins with these items. */
  readonly tools?: ((items: () => JSX.Element) => JSX.Element) | undefined;
}

interface Options extends Pick<OpenFile, 'showList' | 'close' | 'tools' | 'offer'> {
  readonly app: App;
  readonly tab: Pick<Tab, 'server_id' | 'path'>;
}

export function createOpenFile({ app, tab, showList, close, tools, offer }: Options): OpenFile {
  const { client } = app;
  const { server_id } = tab;
  const queries = useQueryClient();
  const { servers } = usePaneHost();
  const [error, setError] = createSignal<Error | null>(null);

  async function refresh(): Promise<void> {
    try {
      await queries.fetchQuery({ ...listingQuery(client, server_id, parentOf(tab.path)), staleTime: 0 });
      setError(null);
    } catch (refusal) {
      setError(refusal instanceof Error ? refusal : new Error(String(refusal)));
    }
  }

  return {
    server: () => servers()?.find(({ id }) => id === server_id),
    ...createFileDownloads(app, tab, refresh),
    ...createFileSignIn(app, tab, { error, pending: () => false, refresh }),
    refresh,
    showList,
    close,
    tools,
    offer,
  };
}
