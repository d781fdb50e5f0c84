import { createEffect, createSignal, Match, on, Show, Switch } from 'solid-js';
import { useApp } from '../app/context.ts';
import { shownName } from '../lib/hidden-characters.ts';
import { Name } from '../parts/name.tsx';
import { reasonOf } from '../parts/trouble.tsx';
import { useTransfers } from '../transfers/transfers.ts';
import { createPaneFocus } from '../workspace/panes/focus.ts';
import { createFolding } from '../workspace/panes/fold.ts';
import { usePaneHost } from '../workspace/panes/host.ts';
import type { PaneProps, Tab } from '../workspace/tabs/tabs.ts';
import { fileCommands } from './commands.ts';
import { FileDialogs } from './dialogs/dialogs.tsx';
import { FileEditorDrafts } from './drafts-view.tsx';
import { FileDropMenu } from './drag/drop-menu.tsx';
import { createFileDrops } from './drag/drops.ts';
import { createDragStart } from './drag/start.ts';
import { createFileTab, type FileTab } from './file-tab.ts';
import { nameOfChord } from './list/keys.ts';
import { FileList } from './list/list.tsx';
import { FileBar } from './path/bar.tsx';
import { FileSearchBox, SearchResults } from './search-view.tsx';
import { FileSignIn } from './sign-in-view.tsx';
import { FileToolbar } from './toolbar.tsx';
import { FailureNote, ListingTrouble } from './trouble.tsx';
import './browser.css';

export function FileBrowser(props: PaneProps) {
  const app = useApp();
  const host = usePaneHost();
  const { t } = app;
  const { tab } = props;
  const files = createFileTab({
    app,
    tab,
    onPath: (path) => host.setPath(tab.id, path),
    onFile: (path, is_new) => host.openFile(tab, path, is_new),
    onMoved: (from, to) => host.moved({ server_id: tab.server_id, from, to }),
    onRemoved: (path) => host.noteRemoved({ server_id: tab.server_id, path }),
    onTerminal: host.openTerminal && ((command) => host.openTerminal?.(tab, command)),
  });
  createEffect(() => {
    const home = files.home();
    if (tab.path === '' && home !== undefined) host.setPath(tab.id, home); // its title says where it is
  });
  let root: HTMLElement | undefined;
  const focus = () => root?.querySelector<HTMLElement>('[data-takes-focus]')?.focus();
  const takes_focus = () => {
    const news = [files.path(), files.pending(), files.error()]; // each of these changes what is shown
    return props.active && news.length > 0;
  };
  createPaneFocus(host, takes_focus, focus, () => root);
  createEffect(on(files.dialog, (open, before) => before && !open && host.wishFocus()));
  reportStatus(props, files);
  const transfers = useTransfers();
  host.workspace?.commands.offer(tab.id, () => fileCommands(app, files, transfers));

  return (
    <section class="files" aria-label={t('files_of', { name: tab.server_name })} ref={root}>
      <Browser files={files} tab={tab} tab_id={tab.id} active={props.active} onListed={focus} />
      <FileDialogs files={files} />
    </section>
  );
}

function reportStatus(props: PaneProps, files: FileTab): void {
  const { t } = useApp();
  const host = usePaneHost();
  const { id } = props.tab;
  createEffect(() => {
    const error = files.error() ?? files.failure()?.error;
    if (files.sign_in_due()) host.setStatus(id, { text: 'state_asked', tone: 'busy' });
    else if (files.loading()) host.setStatus(id, { text: 'state_loading', tone: 'busy' });
    else if (error) host.setStatus(id, { text: 'state_failed', tone: 'bad', note: reasonOf(error, t) });
    else host.setStatus(id, { text: 'state_listed', tone: 'good' });
  });
}

function isList(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('.file-grid');
}

interface BrowserProps {
  readonly files: FileTab;
  readonly tab: Tab;
  readonly tab_id: string;
  readonly active: boolean;
  readonly onListed: () => void;
}

function Browser(props: BrowserProps) {
  const app = useApp();
  const { drags, tools, workspace } = usePaneHost();
  const { files, tab_id } = props;
  const drops = createFileDrops({ app, files, tab_id, drags, transfers: useTransfers() });
  const drag_start = createDragStart({ app, files, tab_id, drags });
  const [typing, setTyping] = createSignal(false);
  let row: HTMLDivElement | undefined;
  createFolding(() => row);
  const is_searched = () => props.files.search().kind !== 'ready';
  const stopTyping = (next: boolean) => {
    setTyping(next);
    if (!next) queueMicrotask(props.onListed);
  };
  createEffect(on(props.files.search_open, (open, before) => before && !open && props.onListed()));
  function onKeyDown(event: KeyboardEvent & { currentTarget: Element }): void {
    const chord = nameOfChord(event);
    if (chord === 'Ctrl+l') setTyping(true);
    else if (chord === 'Ctrl+f') props.files.openSearch();
    else if (chord === '/' && isList(event.target))
      event.currentTarget.querySelector<HTMLElement>('.file-filter')?.focus();
    else return;
    event.preventDefault();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles shortcuts for all of its content
    <div class="files-browser" onKeyDown={onKeyDown}>
      <div class="pane-bar-place">
        <div class="pane-bar files-bar" ref={row}>
          <Show when={workspace}>
            <span class="pane-server" title={shownName(props.tab.server_name)}>
              <Name text={props.tab.server_name} />
            </span>
          </Show>
          <FileBar files={props.files} drops={drops} typing={typing()} onTyping={stopTyping} />
          <FileToolbar files={props.files} tab_id={tab_id} onLeft={props.onListed} />
          {tools(props.tab)}
        </div>
      </div>
      <Show when={props.files.search_open()}>
        <FileSearchBox files={props.files} />
      </Show>
      <FailureNote files={props.files} />
      <FileEditorDrafts files={props.files} />
      <Switch>
        <Match when={props.files.sign_in_due()}>
          {(refusal) => <FileSignIn files={props.files} refusal={refusal()} />}
        </Match>
        <Match when={is_searched()}>
          <SearchResults files={props.files} />
        </Match>
        <Match when={props.files.error()}>
          <ListingTrouble files={props.files} />
        </Match>
        <Match when={true}>
          <FileList files={props.files} drops={drops} drag_start={drag_start} active={props.active} />
        </Match>
      </Switch>
      <FileDropMenu drops={drops} onClosed={props.onListed} />
    </div>
  );
}
