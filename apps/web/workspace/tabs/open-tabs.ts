import { type Accessor, createSignal } from 'solid-js';
import { createStore, produce, unwrap } from 'solid-js/store';
import { createPlace } from '../../lib/storage.ts';
import { readTabs } from './kept-tabs.ts';
import { neighborOf, sameTab, type Tab, type Tabs, type WantedTab } from './tabs.ts';
import { createUndo } from './undo.ts';

interface Options {
  readonly user_id: number;
  readonly active_id: Accessor<string | undefined>;
  readonly go: (id: string | undefined, how?: 'replace') => void;
  /** The tab to activate after this one closes; by default its neighbor. */
  readonly successor?: (id: string) => string | undefined;
  /** The tabs as they are shown from left to right; by default as they were opened. */
  readonly order?: () => readonly string[];
  /** Asks before closing a tab with unsaved changes. */
  readonly mayClose?: (id: string) => boolean | Promise<boolean>;
  /** Whether a shell runs in this tab, which then keeps running for a while after the tab is closed. */
  readonly holdsShell?: (tab: Tab) => boolean;
}

/** The open tabs; the page's address says which one is active. */
export function createTabs(options: Options): Tabs {
  const { user_id, active_id, go, holdsShell = () => false } = options;
  const place = createPlace('session', 'tabs');
  const [mounted, update] = createStore<Tab[]>(readTabs(place.read(), user_id));
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set());
  const list = () => mounted.filter(({ id }) => !hidden().has(id));
  const keep = () => place.write({ user_id, tabs: list() });
  const drop = (ids: readonly string[]) => {
    update((tabs) => tabs.filter(({ id }) => !ids.includes(id)));
    setHidden((before) => new Set([...before].filter((id) => !ids.includes(id))));
  };
  const undo = createUndo((ids) => drop(ids.filter((id) => hidden().has(id))));

  function change(id: string, values: Partial<Tab>): void {
    update((tab) => tab.id === id, values);
    keep();
  }

  function add(added: readonly Tab[]): void {
    update(produce((tabs) => void tabs.push(...added)));
    keep();
    go(added[0]?.id);
  }

  function show(tab: Tab): void {
    const present = hidden().has(tab.id) ? tab : sameTab(list(), tab);
    if (!present) {
      add([{ ...tab, session_id: undefined, restored: false }]);
      return;
    }
    setHidden((before) => new Set([...before].filter((id) => id !== tab.id)));
    keep();
    go(present.id);
  }

  /** Closes without asking. The active tab is closed last, so that the page changes its address once. */
  function close(ids: readonly string[]): void {
    const closing = list().filter(({ id }) => ids.includes(id));
    const ordered = closing.toSorted((a, b) => Number(a.id === active_id()) - Number(b.id === active_id()));
    const shells = ordered.filter(holdsShell);
    undo.add(
      ordered.map((tab) => ({ ...unwrap(tab) })),
      shells.length,
    );
    for (const tab of ordered) hide(tab, shells.includes(tab));
  }

  function hide(tab: Tab, is_kept: boolean): void {
    const next = options.successor?.(tab.id) ?? neighborOf(list(), tab.id)?.id;
    if (is_kept) setHidden((before) => new Set([...before, tab.id]));
    else drop([tab.id]);
    keep();
    if (active_id() === tab.id) go(next);
  }

  return {
    get list() {
      return list();
    },
    mounted,
    active: () => list().find((tab) => tab.id === active_id()),
    open(wanted) {
      const present = sameTab(list(), wanted);
      if (present) {
        if (wanted.at_s !== undefined) change(present.id, { at_s: wanted.at_s });
        go(present.id);
        return present.id;
      }
      const tab = newTab(wanted);
      add([tab]);
      return tab.id;
    },
    openAll(wanted) {
      const opened = wanted.map(newTab);
      if (opened.length > 0) add(opened);
      return opened.map(({ id }) => id);
    },
    activate: go,
    step(by) {
      const ids = options.order?.() ?? list().map(({ id }) => id);
      const next = ids.at((ids.indexOf(active_id() ?? '') + by) % Math.max(1, ids.length));
      if (next !== undefined) go(next);
    },
    close: (id) => closeAsked([id], close, options.mayClose),
    closeAll: (ids) => closeAsked(ids, close, options.mayClose),
    closeOf(server_id) {
      const ids = mounted.filter((tab) => tab.server_id === server_id).map(({ id }) => id);
      for (const id of ids) if (active_id() === id) go(neighborOf(list(), id)?.id);
      drop(ids);
      undo.forget((tab) => tab.server_id === server_id);
      keep();
    },
    closed: undo.notice,
    can_reopen: undo.has_closed,
    reopen() {
      const tab = undo.take();
      if (tab) show(tab);
    },
    undoClose: () => undo.takeAll().forEach(show),
    endClosed: undo.end,
    dismissClosed: undo.dismiss,
    rename: (id, title) => change(id, { title: title === '' ? undefined : title }),
    setPath: (id, path) => change(id, { path }),
    follow: change,
    setSession: (id, session_id) => change(id, { session_id }),
    setReadable: (id, readable_size) => change(id, { readable_size }),
    setName: (id, server_name) => change(id, { server_name }),
  };
}

function newTab(wanted: WantedTab): Tab {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
  return { path: '', ...wanted, id, restored: false };
}

/** Asks for each tab with unsaved changes, one after the other. One refusal keeps all tabs open. */
function closeAsked(
  ids: readonly string[],
  close: (ids: readonly string[]) => void,
  mayClose: Options['mayClose'] = () => true,
): void {
  /** Without a question it closes at once. */
  function next([id, ...rest]: readonly string[]): void {
    if (id === undefined) {
      close(ids);
      return;
    }
    const answer = mayClose(id);
    if (answer === true) next(rest);
    else void Promise.resolve(answer).then((may) => may && next(rest));
  }
  next(ids);
}
