import { type Accessor, createSignal } from 'solid-js';
import { archiveLink, fileLink } from '#client/transfers/links.ts';
import type { App } from '../app/context.ts';
import { nameOf, parentOf } from '../lib/paths.ts';
import { clickLink } from '../lib/save-file.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { Entry } from './list/entries.ts';
import { isSignInDue } from './sign-in.ts';

export interface Failure {
  readonly title: string;
  readonly error: unknown;
  /** Another way. */
  readonly instead?: { readonly label: string; readonly run: () => void } | undefined;
}

export interface FileDownloads {
  /** An error outside of any dialog. */
  readonly failure: Accessor<Failure | undefined>;
  download(path: string): Promise<void>;
  /** Downloads one file as it is, and directories or several entries as a ZIP archive. */
  downloadAll(entries: readonly Entry[]): Promise<void>;
  fail(failure: Failure): void;
  dismiss(): void;
}

/** Starts a download in the browser. */
export function createFileDownloads(
  { client, t }: App,
  tab: Pick<Tab, 'server_id'>,
  refresh: () => Promise<unknown>,
): FileDownloads {
  const [failure, setFailure] = createSignal<Failure>();
  const dismiss = () => setFailure(undefined);

  async function save(name: string, link: () => Promise<string>): Promise<void> {
    dismiss();
    try {
      clickLink(await link(), name);
    } catch (error) {
      if (isSignInDue(error))
        await refresh(); // the list then asks to sign in
      else setFailure({ title: t('download_failed', { name }), error });
    }
  }
  const download = (path: string) =>
    save(nameOf(path), () => fileLink(client, { server_id: tab.server_id, path }));

  return {
    failure,
    fail: setFailure,
    dismiss,
    download,
    async downloadAll(entries) {
      const [first] = entries;
      if (!first) return;
      if (entries.length === 1 && !first.is_dir) return download(first.path);
      const base_path = parentOf(first.path);
      const paths = entries.map(({ path }) => path);
      const name = archiveName(entries, base_path);
      await save(name, () => archiveLink(client, { server_id: tab.server_id, paths, base_path }));
    },
  };
}

function archiveName(entries: readonly Entry[], directory: string): string {
  const [first] = entries;
  const name = entries.length === 1 && first ? first.name : nameOf(directory).replace('/', 'files');
  return `${name}.zip`;
}
