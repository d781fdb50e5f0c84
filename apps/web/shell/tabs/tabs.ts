import type { Accessor } from 'solid-js';
import { createStore, produce } from 'solid-js/store';
import { createPlace } from '../../lib/storage.ts';
import { readAim, type TerminalAim } from '../../terminal/aim.ts';

export type TabKind = 'terminal' | 'files';

export interface Tab {
  readonly id: string;
  readonly kind: TabKind;
  /** 0 without a registered server. */
  readonly server_id: number;
  readonly server_name: string;
  /** The directory of a file tab. */
  readonly path: string;
  /** Restored after a reload or a new sign-in. */
  readonly restored: boolean;
  /** What a terminal connects to, if not a shell on the server. */
  readonly aim?: TerminalAim;
  /** The session in this terminal, resumed after a reload. */
  readonly session_id?: string | undefined;
  /** Keeps text readable when other members determine the terminal's size. */
  readonly readable_size?: boolean;
}

/** What the view inside a tab is given. */
export interface PaneProps {
  readonly tab: Tab;
  readonly active: boolean;
}

type Wanted = Pick<Tab, 'kind' | 'server_id' | 'server_name'> & { path?: string; aim?: TerminalAim };

export interface Tabs {
  readonly list: readonly Tab[];
  readonly active: Accessor<Tab | undefined>;
  /** Opens and activates a tab, and returns its id. */
  open(wanted: Wanted): string;
  /** `replace` adds no history entry, for a focus that has already moved. */
  activate(id: string, how?: 'replace'): void;
  step(by: 1 | -1): void;
  close(id: string): void;
  closeOf(server_id: number): void;
  setPath(id: string, path: string): void;
  setSession(id: string, session_id: string | undefined): void;
  setReadable(id: string, readable_size: boolean): void;
  /** Sets the name once the gateway has reported it. */
  setName(id: string, server_name: string): void;
}

interface Options {
  readonly user_id: number;
  readonly active_id: Accessor<string | undefined>;
  readonly go: (id: string | undefined, how?: 'replace') => void;
  /** The tab to activate after this one closes; by default its neighbor. */
  readonly successor?: (id: string) => string | undefined;
  /** Asks before closing a tab with unsaved changes. */
  readonly mayClose?: (id: string) => boolean | Promise<boolean>;
}

/** The open tabs; the page's address says which one is active. */
export function createTabs(options: Options): Tabs {
  const { user_id, active_id, go, mayClose = () => true } = options;
  const place = createPlace('session', 'tabs');
  const [list, update] = createStore<Tab[]>(readTabs(place.read(), user_id));
  const keep = () => place.write({ user_id, tabs: list });

  function change(id: string, values: Partial<Tab>): void {
    update((tab) => tab.id === id, values);
    keep();
  }

  function close(id: string): void {
    const was_active = active_id() === id;
    const next = options.successor?.(id) ?? neighborOf(list, id)?.id;
    update((tabs) => tabs.filter((tab) => tab.id !== id));
    keep();
    if (was_active) go(next);
  }

  function closeAsked(id: string): void {
    const answer = mayClose(id);
    if (answer === true) close(id);
    else void Promise.resolve(answer).then((may) => may && close(id));
  }

  return {
    list,
    active: () => list.find((tab) => tab.id === active_id()),
    open({ path = '', ...wanted }) {
      const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
      update(produce((tabs) => void tabs.push({ ...wanted, id, path, restored: false })));
      keep();
      go(id);
      return id;
    },
    activate: go,
    step(by) {
      const at = list.findIndex((tab) => tab.id === active_id());
      const next = list.at((at + by) % Math.max(1, list.length));
      if (next) go(next.id);
    },
    close: closeAsked,
    closeOf(server_id) {
      for (const { id } of list.filter((tab) => tab.server_id === server_id)) close(id);
    },
    setPath: (id, path) => change(id, { path }),
    setSession: (id, session_id) => change(id, { session_id }),
    setReadable: (id, readable_size) => change(id, { readable_size }),
    setName: (id, server_name) => change(id, { server_name }),
  };
}

/** The next tab to the right, or else to the left. */
export function neighborOf(tabs: readonly Tab[], id: string): Tab | undefined {
  const at = tabs.findIndex((tab) => tab.id === id);
  return tabs[at + 1] ?? tabs[at - 1];
}

/** Stored tabs of another user are ignored. */
export function readTabs(kept: unknown, user_id: number): Tab[] {
  if (!isRecord(kept) || kept['user_id'] !== user_id || !Array.isArray(kept['tabs'])) return [];
  return kept['tabs'].flatMap(readTab);
}

/** A terminal with an unreadable aim is dropped: it would connect elsewhere. */
function readTab(kept: unknown): Tab[] {
  if (!isTab(kept)) return [];
  const { aim: kept_aim, session_id, ...rest } = kept;
  const aim = readAim(kept_aim);
  if (kept_aim !== undefined && !aim) return [];
  const resumable = typeof session_id === 'string' ? { session_id } : {};
  return [{ ...rest, ...(aim ? { aim } : {}), ...resumable, restored: true }];
}

function isTab(value: unknown): value is Tab {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    (value['kind'] === 'terminal' || value['kind'] === 'files') &&
    typeof value['server_id'] === 'number' &&
    typeof value['server_name'] === 'string' &&
    typeof value['path'] === 'string'
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Numbers the tabs of one kind on the same server. */
export function numberOf(tab: Tab, tabs: readonly Tab[]): string | undefined {
  const alike = tabs.filter((other) => isAlike(other, tab));
  const nth = alike.findIndex(({ id }) => id === tab.id) + 1;
  return alike.length > 1 ? `(${nth})` : undefined;
}

export function labelOf(tab: Tab, tabs: readonly Tab[]): string {
  return [tab.server_name, numberOf(tab, tabs)].filter((part) => part !== undefined).join(' ');
}

function isAlike(one: Tab, other: Tab): boolean {
  const is_same = one.server_id === other.server_id && one.kind === other.kind;
  return is_same && (one.server_id > 0 || one.server_name === other.server_name);
}
