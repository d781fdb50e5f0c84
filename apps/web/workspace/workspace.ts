import { type Accessor, createContext, createMemo, createSignal, useContext } from 'solid-js';
import { createStore, produce } from 'solid-js/store';
import type { TextKey } from '../i18n/languages.ts';
import { createNotifier, type Notifier } from '../lib/notifier.ts';
import { createPageHidden } from '../lib/returns.ts';
import { createTabCommands, type TabCommands } from './commands/tab-commands.ts';
import { createDragState, type DragState } from './drag.ts';
import type { Panes } from './panes/panes.ts';
import { createTabMarks, type TabMarks } from './tabs/marks.ts';
import type { TabPlace, Tabs } from './tabs/tabs.ts';
import type { Window } from './windows.ts';

export interface PaneStatus {
  readonly text: TextKey;
  readonly tone: 'good' | 'busy' | 'bad' | 'idle';
  readonly round_trip_ms?: number | undefined;
  /** A short reason. */
  readonly note?: string | undefined;
  readonly openAgain?: (() => void) | undefined;
  /** Its shell ended with the gateway, not by itself. */
  readonly is_gone?: boolean;
}

export type Screen = 'account' | 'admin';

type FilePlace = Pick<TabPlace, 'server_id' | 'path'>;

export interface Workspace {
  readonly tabs: Tabs;
  readonly panes: Panes;
  readonly drags: DragState;
  readonly commands: TabCommands;
  readonly marks: TabMarks;
  readonly notifier: Notifier;
  /** The open dialog. */
  readonly window: Accessor<Window | undefined>;
  show(window: Window | undefined): void;
  readonly statuses: Readonly<Record<string, PaneStatus>>;
  setStatus(tab_id: string, status: PaneStatus): void;
  forgetStatus(tab_id: string): void;
  /** The file chosen to be compared with another one. */
  readonly compared: Accessor<TabPlace | undefined>;
  setCompared(place: TabPlace | undefined): void;
  /** What was deleted last in a list of files. */
  readonly removed: Accessor<FilePlace | undefined>;
  noteRemoved(place: FilePlace): void;
  /** The screen shown instead of the tabs. */
  readonly screen: Accessor<Screen | undefined>;
  /** Navigates to a path of the page, such as `/account`. */
  goTo(path: string): void;
  /** Asks first if that would end shells or close unsaved files. */
  signOut(): void;
  /** Leaves a screen for the tab that was active before. */
  leaveScreen(): void;
  /** Counts requests to focus the active pane. */
  readonly focus_wish: Accessor<number>;
  wishFocus(): void;
  /** The sidebar as a sheet, on narrow screens. */
  readonly sheet_open: Accessor<boolean>;
  setSheetOpen(open: boolean): void;
}

interface Place {
  readonly path: Accessor<string>;
  readonly go: (path: string) => void;
  readonly signOut: () => void;
  readonly is_guest: boolean;
}

export function createWorkspace(tabs: Tabs, panes: Panes, { path, go, signOut, is_guest }: Place): Workspace {
  const [window, show] = createSignal<Window>();
  const [sheet_open, setSheetOpen] = createSignal(false);
  const [focus_wish, setFocusWish] = createSignal(0);
  const [compared, setCompared] = createSignal<TabPlace>();
  const [removed, setRemoved] = createSignal<FilePlace | undefined>(undefined, { equals: false });
  const [statuses, update] = createStore<Record<string, PaneStatus>>({});
  const last_tab = createMemo<string | undefined>((before) => tabs.active()?.id ?? before);
  return {
    tabs,
    panes,
    drags: createDragState(),
    commands: createTabCommands(),
    marks: createTabMarks({
      ids: () => tabs.list.map(({ id }) => id),
      isShown: panes.isShown,
      is_page_hidden: createPageHidden(),
    }),
    notifier: createNotifier(is_guest),
    screen: () => screenOf(path()),
    goTo: go,
    signOut,
    leaveScreen() {
      const last = tabs.list.find(({ id }) => id === last_tab()) ?? tabs.list.at(-1);
      go(last ? `/tabs/${last.id}` : '/');
    },
    window,
    show,
    statuses,
    setStatus: (tab_id, status) => update({ [tab_id]: status }),
    forgetStatus: (tab_id) => update(produce((all) => void delete all[tab_id])),
    compared,
    setCompared,
    removed,
    noteRemoved: (place) => void setRemoved(place),
    focus_wish,
    wishFocus: () => setFocusWish((wishes) => wishes + 1),
    sheet_open,
    setSheetOpen,
  };
}

export function screenOf(path: string): Screen | undefined {
  const [, first] = path.split('/');
  return first === 'account' || first === 'admin' ? first : undefined;
}

const Context = createContext<Workspace>();
export const WorkspaceProvider = Context.Provider;

export function useWorkspace(): Workspace {
  const workspace = useContext(Context);
  if (!workspace) throw new Error('Outside the workspace');
  return workspace;
}
