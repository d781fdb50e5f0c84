import type { App } from '../app/context.ts';
import { isAbsolute, joinPath, nameOf, parentOf, tidyPath } from '../lib/paths.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import { createFileActions, type FileActions } from './actions.ts';
import { createFileChanges, type FileChanges } from './changes/changes.ts';
import { createFileDownloads, type FileDownloads } from './downloads.ts';
import { createListCursor, type FileCursor } from './list/cursor.ts';
import type { Entry } from './list/entries.ts';
import { createFileListing, type FileListing } from './list/listing.ts';
import { createFileSearch, type FileSearch } from './search.ts';
import { createFileSignIn, type FileSignIn } from './sign-in.ts';
import { createTerminalHere, type TerminalHere } from './terminal-here.ts';

interface FileWalking {
  /** Opens a file in its own tab. */
  view(path: string): void;
  /** Opens a new file, created when it is saved. */
  viewNew(path: string): void;
  go(path: string): void;
  goUp(): void;
  /** Goes to the home directory or below it. */
  goHome(below?: string): void;
  /** Accepts absolute paths, paths relative to here, and `~` for the home directory. */
  goTyped(typed: string): void;
  /** Goes to the entry's directory with the cursor on the entry. */
  goToEntry(path: string): void;
  openEntry(entry: Entry | undefined): void;
}

export interface FileTab
  extends FileListing,
    FileCursor,
    FileSignIn,
    FileDownloads,
    FileActions,
    FileSearch,
    FileWalking {
  readonly server_id: number;
  readonly changes: FileChanges;
  /** Undefined where no terminal can be opened. */
  readonly terminal: TerminalHere | undefined;
}

interface Options {
  readonly app: App;
  readonly tab: Tab;
  readonly onPath: (path: string) => void;
  readonly onFile: (path: string, is_new: boolean) => void;
  readonly onMoved: (from: string, to: string) => void;
  readonly onRemoved: (path: string) => void;
  /** Opens a terminal with this text at its prompt. */
  readonly onTerminal?: ((command: string) => void) | undefined;
}

/** One list: directory, entries, selection and actions. */
export function createFileTab(options: Options): FileTab {
  const { app, tab, onPath, onFile, onMoved, onRemoved, onTerminal } = options;
  const { server_id } = tab;
  const listing = createFileListing(app, tab);
  const in_list = createListCursor(listing.entries);
  const downloads = createFileDownloads(app, tab, listing.refresh);
  const search = createFileSearch(app.client, server_id, listing.path);
  /** Commands act only on entries that are visible. */
  const is_listed = () => search.search().kind === 'ready' && listing.error() === null;
  const cursor = { ...in_list, targets: () => (is_listed() ? in_list.targets() : []) };
  const actions = createFileActions(app, listing, cursor);

  function leave(): void {
    downloads.dismiss();
    actions.say('');
    actions.setRenaming(undefined);
  }
  function moveTo(path: string, name: string | undefined): void {
    leave();
    cursor.clearSelection();
    listing.setFilter('');
    cursor.walk(0);
    cursor.aim(name);
    search.closeSearch();
    onPath(path);
  }

  return {
    server_id,
    ...listing,
    ...cursor,
    ...downloads,
    ...createFileSignIn(app, tab, listing),
    ...actions,
    ...search,
    ...createWalking({ ...listing, moveTo, onFile }),
    changes: createFileChanges({ client: app.client, server_id, listing, cursor, onMoved, onRemoved }),
    terminal: onTerminal && createTerminalHere({ app, server: listing.server, say: actions.say, onTerminal }),
  };
}

interface WalkingDeps {
  readonly path: FileListing['path'];
  readonly askHome: FileListing['askHome'];
  /** Goes there with the cursor on this name. */
  readonly moveTo: (path: string, name: string | undefined) => void;
  readonly onFile: Options['onFile'];
}

function createWalking({ path, askHome, moveTo, onFile }: WalkingDeps): FileWalking {
  const go = (next: string) => moveTo(next, next === parentOf(path()) ? nameOf(path()) : undefined);
  const goHome = (below = '') =>
    void askHome().then(
      (home) => go(tidyPath(joinPath(home, below))),
      () => moveTo('', undefined), // where the failure is shown
    );
  function goTyped(typed: string): void {
    if (/^~(\/|$)/.test(typed)) goHome(typed.slice(1));
    else go(tidyPath(isAbsolute(typed) ? typed : joinPath(path(), typed)));
  }
  const view = (wanted: string) => onFile(wanted, false);

  return {
    view,
    viewNew: (wanted) => onFile(wanted, true),
    go,
    goHome,
    goTyped,
    goUp: () => path() !== '/' && go(parentOf(path())),
    goToEntry: (wanted) => moveTo(parentOf(wanted), nameOf(wanted)),
    openEntry(entry) {
      if (!entry?.addressable) return;
      if (entry.is_dir) go(entry.path);
      else view(entry.path);
    },
  };
}
