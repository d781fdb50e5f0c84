import { useQuery } from '@tanstack/solid-query';
import FolderDown from 'lucide-solid/icons/folder-down';
import PackageOpen from 'lucide-solid/icons/package-open';
import { createEffect, createMemo, createSignal, Match, onMount, Show, Switch } from 'solid-js';
import { take } from '#client/client.ts';
import { assertServed } from '#client/load.ts';
import type { ArchiveEntry } from '#client/transfers/archive.ts';
import { memberLink } from '#client/transfers/archive.ts';
import { useApp } from '../../app-context.ts';
import { nameOf, parentOf } from '../../lib/paths.ts';
import { clickLink } from '../../lib/save-file.ts';
import { createPaneFocus } from '../../shell/panes/focus.ts';
import { usePaneHost } from '../../shell/panes/host.ts';
import { useTransfers } from '../../transfers/transfers.ts';
import { ExtractArchive } from '../dialogs/extract.tsx';
import { isSignInDue } from '../sign-in.ts';
import { FileViewerBar, type ViewerTool } from '../viewer/bar.tsx';
import type { KindProps } from '../viewer/props.ts';
import { FileViewerTrouble } from '../viewer/trouble.tsx';
import { ArchiveList } from './list.tsx';
import { MemberPreview } from './preview.tsx';
import { directoryOf, treeOf } from './tree.ts';
import './archive.css';

/** The members of a ZIP archive on a host, as directories; nothing is extracted to look at them. */
export function ArchiveView(props: KindProps) {
  const { t } = useApp();
  const view = createArchiveView(props);
  let place: HTMLElement | undefined;
  createPaneFocus(
    usePaneHost(),
    () => props.active,
    () => place?.focus(),
  );
  onMount(() => place?.focus());
  return (
    <>
      <FileViewerBar files={props.files} path={props.path} note={view.note()} tools={view.tools()} />
      <Show when={view.is_asking()}>
        <ExtractArchive
          server_id={props.tab.server_id}
          server={props.files.server()}
          path={props.path}
          onClose={() => view.ask(false)}
        />
      </Show>
      <section
        class="archive"
        aria-label={t('archive_of', { name: nameOf(props.path) })}
        tabIndex={-1}
        ref={place}
      >
        <Switch fallback={<p role="status">{t('loading')}</p>}>
          <Match when={view.listing.error}>
            {(error) => (
              <FileViewerTrouble {...props} error={error()} onRetry={() => void view.listing.refetch()} />
            )}
          </Match>
          <Match when={view.member()} keyed>
            {(entry) => (
              <MemberPreview
                place={{ ...view.place, member: entry.name }}
                entry={entry}
                onSave={() => void view.save(entry)}
                onBack={() => view.open(undefined)}
              />
            )}
          </Match>
          <Match when={view.listing.data}>
            <ArchiveList
              rows={view.rows()}
              directory={view.directory()}
              archive={nameOf(props.path)}
              truncated={view.listing.data?.truncated === true}
              failure={view.failure()}
              onDirectory={view.go}
              onMember={view.open}
              onClose={() => props.files.close()}
            />
          </Match>
        </Switch>
      </section>
    </>
  );
}

function createArchiveView(props: KindProps) {
  const { client, t } = useApp();
  const transfers = useTransfers();
  const place = { server_id: props.tab.server_id, path: props.path };
  const [directory, go] = createSignal('');
  const [member, open] = createSignal<ArchiveEntry>();
  const [is_asking, ask] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>();
  const listing = useQuery(() => ({
    queryKey: ['archive', place.server_id, place.path],
    queryFn: ({ signal }) => {
      const params = { path: { server_id: place.server_id }, query: { path: place.path } };
      return take(client.http.GET('/api/files/{server_id}/archive', { params, signal }));
    },
    retry: false,
    staleTime: 0,
  }));
  createEffect(() => isSignInDue(listing.error) && void props.files.refresh()); // which asks to sign in
  const tree = createMemo(() => treeOf(listing.data?.entries ?? []));

  async function save(entry: ArchiveEntry): Promise<void> {
    setFailure(undefined);
    try {
      const link = await memberLink(client, { ...place, member: entry.name }, { inline: false });
      await assertServed(link, { fetch: client.fetch });
      clickLink(link, nameOf(entry.name));
    } catch (error) {
      setFailure(error);
      open(undefined);
    }
  }
  const extract_tools: readonly ViewerTool[] = [
    {
      label: t('archive_extract_here'),
      icon: PackageOpen,
      run: () => transfers.extract({ ...place, target_path: parentOf(place.path) }),
    },
    { label: t('archive_extract_to'), icon: FolderDown, run: () => ask(true) },
  ];
  return {
    ...{ place, listing, directory, go, member, open, is_asking, ask, failure, save },
    tools: () => (props.files.server()?.sftp_read_only ? [] : extract_tools),
    rows: () => tree().get(directory()) ?? tree().get(directoryOf(directory())) ?? [],
    note: () => listing.data && t('archive_members', { count: listing.data.entries.length }),
  };
}
