import FolderDown from 'lucide-solid/icons/folder-down';
import PackageOpen from 'lucide-solid/icons/package-open';
import { createEffect, createMemo, createSignal, Match, on, onMount, Show, Switch } from 'solid-js';
import type { ArchiveEntry } from '#client/transfers/archive.ts';
import { memberLink } from '#client/transfers/archive.ts';
import { assertServed } from '#client/transport/load.ts';
import { useApp } from '../../app/context.ts';
import { nameOf, parentOf } from '../../lib/paths.ts';
import { activeElement } from '../../lib/root.ts';
import { clickLink } from '../../lib/save-file.ts';
import { isFocusLost } from '../../parts/focus.ts';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { useTransfers } from '../../transfers/transfers.ts';
import { createPaneFocus } from '../../workspace/panes/focus.ts';
import { usePaneHost } from '../../workspace/panes/host.ts';
import { ExtractArchive } from '../dialogs/extract.tsx';
import { isSignInDue } from '../sign-in.ts';
import { FileViewerBar, type ViewerTool } from '../viewer/bar.tsx';
import type { KindProps } from '../viewer/props.ts';
import { FileViewerTrouble } from '../viewer/trouble.tsx';
import { ArchiveList } from './list.tsx';
import { createArchiveListing } from './listing.ts';
import type { MemberWork } from './menu.tsx';
import { MemberPreview } from './preview.tsx';
import { type ArchiveRows, createArchiveRows } from './rows.ts';
import { treeOf } from './tree.ts';
import './archive.css';

const HERE = { icon: PackageOpen, is_labeled: true };
const ASKED = { icon: FolderDown, is_labeled: true };

/** The members of a ZIP archive on a host, as directories; nothing is extracted to look at them. */
export function ArchiveView(props: KindProps) {
  const { t } = useApp();
  let place: HTMLElement | undefined;
  const view = createArchiveView(props, () => isFocusLost() || activeElement() === place);
  createPaneFocus(
    usePaneHost(),
    () => props.active,
    () => (place?.querySelector<HTMLElement>('[data-takes-focus]') ?? place)?.focus(),
  );
  onMount(() => place?.focus());
  return (
    <>
      <FileViewerBar files={props.files} path={props.path} note={view.note()} tools={view.tools()} />
      <Show when={view.asked()}>
        {(asked) => (
          <ExtractArchive
            server_id={props.tab.server_id}
            server={props.files.server()}
            path={props.path}
            members={asked().members}
            encoding={view.names.encoding()}
            onClose={() => view.ask(undefined)}
          />
        )}
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
                place={{ ...view.place, member: entry.name, encoding: view.names.encoding() }}
                entry={entry}
                onSave={() => void view.save(entry)}
                onBack={() => view.open(undefined)}
              />
            )}
          </Match>
          <Match when={view.listing.data}>
            <ArchiveList
              rows={view.rows}
              work={view.work}
              names={view.names}
              archive={nameOf(props.path)}
              truncated={view.listing.data?.truncated === true}
              failure={view.failure()}
              onClose={() => props.files.close()}
            />
          </Match>
        </Switch>
      </section>
    </>
  );
}

/** `mayFocus` says whether the list may take the focus when it appears. */
function createArchiveView(props: KindProps, mayFocus: () => boolean) {
  const { client, t } = useApp();
  const transfers = useTransfers();
  const place = { server_id: props.tab.server_id, path: props.path };
  const [member, open] = createSignal<ArchiveEntry>();
  const [asked, ask] = createSignal<{ readonly members: readonly string[] | undefined }>();
  const [failure, setFailure] = createSignal<unknown>();
  const { query: listing, ...names } = createArchiveListing(() => place);
  createEffect(on(names.encoding, () => rows.go(''), { defer: true })); // the directory has another name now
  createEffect(() => isSignInDue(listing.error) && void props.files.refresh()); // which asks to sign in
  const tree = createMemo(() => treeOf(listing.data?.entries ?? []));
  const rows = createArchiveRows(tree);

  async function save(entry: ArchiveEntry): Promise<void> {
    setFailure(undefined);
    try {
      const link = await memberLink(
        client,
        { ...place, member: entry.name, encoding: names.encoding() },
        { inline: false },
      );
      await assertServed(link, { fetch: client.fetch });
      clickLink(link, nameOf(entry.name));
    } catch (error) {
      setFailure(error);
      open(undefined);
    }
  }
  function extract(members: readonly string[] | undefined, to: 'here' | 'asked'): void {
    if (to === 'asked') ask({ members });
    else
      transfers.extract({ ...place, members, encoding: names.encoding(), target_path: parentOf(place.path) });
  }
  const extract_tools: readonly ViewerTool[] = [
    { ...HERE, label: t('archive_extract_here'), run: () => extract(undefined, 'here') },
    { ...ASKED, label: t('archive_extract_to'), run: () => extract(undefined, 'asked') },
  ];
  const read_only = useReadOnlyReason();
  const work: MemberWork = {
    open(row) {
      if (row?.is_dir) rows.go(row.path);
      else if (row?.entry && row.addressable) open(row.entry);
    },
    save: ({ entry }) => entry && void save(entry),
    extract,
    why: () => read_only() ?? (props.files.server()?.sftp_read_only ? t('files_why_read_only') : undefined),
    onShown: (focus) => mayFocus() && focus(),
  };
  offerChosen({ files: props.files, rows, work, is_list: () => member() === undefined });
  return {
    ...{ place, listing, names, rows, work, member, open, asked, ask, failure, save },
    tools: () => (work.why() === undefined ? extract_tools : []),
    note: () => listing.data && t('archive_files', { count: filesIn(listing.data.entries) }),
  };
}

function filesIn(entries: readonly ArchiveEntry[]): number {
  return entries.filter(({ is_dir }) => !is_dir).length;
}

interface Offered {
  readonly files: KindProps['files'];
  readonly rows: ArchiveRows;
  readonly work: MemberWork;
  readonly is_list: () => boolean;
}

/** The selection can also be extracted from the palette. */
function offerChosen({ files, rows, work, is_list }: Offered): void {
  const { t } = useApp();
  files.offer?.(() => {
    const members = rows.selected().map(({ path }) => path);
    if (members.length === 0 || !is_list() || work.why() !== undefined) return [];
    const hint = t('bulk_selected', { count: members.length });
    return [
      { title: t('archive_extract_chosen_here'), hint, run: () => work.extract(members, 'here') },
      {
        ...{ title: t('archive_extract_chosen_to'), hint, is_late: true },
        run: () => work.extract(members, 'asked'),
      },
    ];
  });
}
