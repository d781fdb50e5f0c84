import type { Accessor } from 'solid-js';
import { nameOf, parentOf } from '../../lib/paths.ts';
import type { TerminalAim } from './aim.ts';

export const TAB_KINDS = ['terminal', 'files', 'file', 'comparison', 'recording'] as const;
export type TabKind = (typeof TAB_KINDS)[number];

/** A file on a server. */
export interface TabPlace {
  readonly server_id: number;
  readonly server_name: string;
  readonly path: string;
}

export interface Tab {
  readonly id: string;
  readonly kind: TabKind;
  /** 0 without a registered server. */
  readonly server_id: number;
  readonly server_name: string;
  /** The directory of a list, or the file of a file tab and the first one of a comparison. */
  readonly path: string;
  /** Restored after a reload or a new sign-in. */
  readonly restored: boolean;
  /** What a terminal connects to, if not a shell on the server. */
  readonly aim?: TerminalAim;
  /** The session in this terminal, resumed after a reload. */
  readonly session_id?: string | undefined;
  /** Keeps text readable when other members determine the terminal's size. */
  readonly readable_size?: boolean;
  /** The file need not exist yet: its first save creates it. */
  readonly is_new?: boolean;
  /** The second file of a comparison. */
  readonly other?: TabPlace;
  readonly recording_id?: number;
  /** Where a recording begins to play, in seconds. */
  readonly at_s?: number;
  /** The tab this one was opened from; closing goes back to it. */
  readonly opener_id?: string;
  /** The name that the user gave it. */
  readonly title?: string | undefined;
}

/** Tabs that were closed together. */
export interface ClosedTabs {
  readonly tabs: readonly Tab[];
  /** How many of their shells still run. */
  readonly shells: number;
}

/** What the view inside a tab is given. */
export interface PaneProps {
  readonly tab: Tab;
  readonly active: boolean;
}

/** A tab to open. */
export type WantedTab = Pick<Tab, 'kind' | 'server_id' | 'server_name'> &
  Partial<Pick<Tab, 'path' | 'aim' | 'is_new' | 'other' | 'recording_id' | 'at_s' | 'opener_id'>>;

export interface Tabs {
  readonly list: readonly Tab[];
  /** Also tabs that were closed a moment ago and whose shell still runs. */
  readonly mounted: readonly Tab[];
  readonly active: Accessor<Tab | undefined>;
  /** Opens and activates a tab, and returns its id. A file, comparison or recording that is open is only activated. */
  open(wanted: WantedTab): string;
  /** Opens terminals or lists, activates the first one, and returns their ids. */
  openAll(wanted: readonly WantedTab[]): readonly string[];
  /** `replace` adds no history entry, for a focus that has already moved. */
  activate(id: string, how?: 'replace'): void;
  step(by: 1 | -1): void;
  close(id: string): void;
  closeAll(ids: readonly string[]): void;
  closeOf(server_id: number): void;
  /** What was just closed and can be undone, if that deserves a notice. */
  readonly closed: Accessor<ClosedTabs | undefined>;
  undoClose(): void;
  /** Hides the notice; running shells still get their time. */
  dismissClosed(): void;
  /** Ends the shells of closed tabs now. */
  endClosed(): void;
  /** Whether a closed tab can be opened again. */
  readonly can_reopen: Accessor<boolean>;
  /** Opens the tab that was closed last, with its shell if that still runs. */
  reopen(): void;
  /** An empty title restores the automatic one. */
  rename(id: string, title: string): void;
  setPath(id: string, path: string): void;
  /** Its files have moved. */
  follow(id: string, places: Pick<Tab, 'path' | 'other'>): void;
  setSession(id: string, session_id: string | undefined): void;
  setReadable(id: string, readable_size: boolean): void;
  /** Sets the name once the gateway has reported it. */
  setName(id: string, server_name: string): void;
}

/** The next tab to the right, or else to the left. */
export function neighborOf(tabs: readonly Tab[], id: string): Tab | undefined {
  const at = tabs.findIndex((tab) => tab.id === id);
  return tabs[at + 1] ?? tabs[at - 1];
}

/** The open tab that shows the same file, comparison or recording. */
export function sameTab(tabs: readonly Tab[], wanted: WantedTab): Tab | undefined {
  const key = contentOf(wanted);
  return key === undefined ? undefined : tabs.find((tab) => contentOf(tab) === key);
}

/** Undefined for what may be open several times. */
function contentOf({ kind, server_id, path, other, recording_id }: WantedTab): string | undefined {
  if (kind === 'terminal' || kind === 'files') return undefined;
  if (kind === 'recording') return JSON.stringify([kind, recording_id]);
  return JSON.stringify([kind, server_id, path, other?.server_id, other?.path]);
}

/** What tells a tab apart from others with the same title. */
export interface Distinction {
  /** The server of a file, where a file of another server has the same name. */
  readonly server?: string | undefined;
  /** Where that leaves several: the directory of a file if it tells them apart, or else a number. */
  readonly mark?: string | undefined;
}

export function distinctionOf(tab: Tab, tabs: readonly Tab[]): Distinction {
  const named_alike = tabs.filter((other) => isNamedAlike(other, tab));
  const alike = named_alike.filter((other) => isOnSameServer(other, tab));
  const is_shared = tab.kind === 'file' && alike.length < named_alike.length;
  return {
    server: is_shared && !tab.title ? tab.server_name : undefined,
    mark: alike.length > 1 ? markOf(tab, alike) : undefined,
  };
}

function markOf(tab: Tab, alike: readonly Tab[]): string {
  const directories = new Set(alike.map(directoryOf));
  const is_apart = tab.kind === 'file' && !tab.title && directories.size === alike.length;
  return is_apart ? `· ${directoryOf(tab)}` : `(${alike.findIndex(({ id }) => id === tab.id) + 1})`;
}

function directoryOf({ path }: Tab): string {
  return nameOf(parentOf(path));
}

export function labelOf(tab: Tab, tabs: readonly Tab[]): string {
  const { server, mark } = distinctionOf(tab, tabs);
  return [titleOf(tab), server && `· ${server}`, mark].filter((part) => part !== undefined).join(' ');
}

/** The name that the user gave it, or else the server of a terminal, list or recording, or the name of a file. */
export function titleOf({ kind, server_id, server_name, path, other, title }: Tab): string {
  if (title) return title;
  if (kind === 'file') return nameOf(path);
  if (kind !== 'comparison' || !other) return server_name;
  const [one, two] = [nameOf(path), nameOf(other.path)];
  const is_across = other.server_id !== server_id;
  return one === two && is_across ? `${one} · ${server_name} ↔ ${other.server_name}` : `${one} ↔ ${two}`;
}

/** Whether the title of the tab names its server. */
export function namesServer({ kind, title }: Tab): boolean {
  return !title && (kind === 'terminal' || kind === 'files' || kind === 'recording');
}

function isNamedAlike(one: Tab, other: Tab): boolean {
  return (
    one.kind === other.kind && (one.title ?? '') === (other.title ?? '') && titleOf(one) === titleOf(other)
  );
}

/** Tabs that the user named, and comparisons, are only told apart by number. */
function isOnSameServer(one: Tab, other: Tab): boolean {
  return one.title !== undefined || one.kind === 'comparison' || one.server_id === other.server_id;
}
