import { type Accessor, createContext, createSignal, useContext } from 'solid-js';
import { createStore, produce } from 'solid-js/store';
import type { TextKey } from '../i18n/languages.ts';
import type { Server } from './servers.ts';
import type { Tabs } from './tabs.ts';

export type Window =
  | { readonly kind: 'server_form'; readonly server: Server | undefined }
  | { readonly kind: 'test'; readonly server: Server }
  | { readonly kind: 'delete'; readonly server: Server }
  | HostKeyWindow
  | { readonly kind: 'password' }
  | { readonly kind: 'keyboard' }
  | { readonly kind: 'palette' };

interface HostKeyWindow {
  readonly kind: 'host_key';
  readonly server: Server;
  /** Fingerprint of the key that was refused. */
  readonly presented?: string | undefined;
  readonly onAccepted?: () => void;
}

export interface PaneStatus {
  readonly text: TextKey;
  readonly tone: 'good' | 'busy' | 'bad' | 'idle';
  readonly round_trip_ms?: number | undefined;
  /** Why, in a few words. */
  readonly note?: string | undefined;
  readonly openAgain?: (() => void) | undefined;
}

export interface Workspace {
  readonly tabs: Tabs;
  /** The one dialog that is open. */
  readonly window: Accessor<Window | undefined>;
  show(window: Window | undefined): void;
  readonly statuses: Readonly<Record<string, PaneStatus>>;
  setStatus(tab_id: string, status: PaneStatus): void;
  forgetStatus(tab_id: string): void;
  /** Counts the wishes that the pane in front takes the focus. */
  readonly focus_wish: Accessor<number>;
  wishFocus(): void;
  /** The rail as a sheet, on narrow screens. */
  readonly sheet_open: Accessor<boolean>;
  setSheetOpen(open: boolean): void;
}

export function createWorkspace(tabs: Tabs): Workspace {
  const [window, show] = createSignal<Window>();
  const [sheet_open, setSheetOpen] = createSignal(false);
  const [focus_wish, setFocusWish] = createSignal(0);
  const [statuses, update] = createStore<Record<string, PaneStatus>>({});
  return {
    tabs,
    window,
    show,
    statuses,
    setStatus: (tab_id, status) => update({ [tab_id]: status }),
    forgetStatus: (tab_id) => update(produce((all) => void delete all[tab_id])),
    focus_wish,
    wishFocus: () => setFocusWish((wishes) => wishes + 1),
    sheet_open,
    setSheetOpen,
  };
}

const Context = createContext<Workspace>();
export const WorkspaceProvider = Context.Provider;

export function useWorkspace(): Workspace {
  const workspace = useContext(Context);
  if (!workspace) throw new Error('Outside the workspace');
  return workspace;
}
