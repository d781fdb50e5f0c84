import { type Accessor, createSignal } from 'solid-js';
import { createStore, produce, unwrap } from 'solid-js/store';
import { createPlace } from '../../lib/storage.ts';
import { readTabs } from './kept-tabs.ts';
import { neighborOf, sameTab, type Tab, type Tabs } from './tabs.ts';

const MOST_CLOSED = 20;

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
  const [closed, setClosed] = createSignal<readonly Tab[]>([]);
  const keep = () => place.write({ user_id, tabs: list });

  function change(id: string, values: Partial<Tab>): void {
    update((tab) => tab.id === id, values);
    keep();
  }

  function add(tab: Tab): void {
    update(produce((tabs) => void tabs.push(tab)));
    keep();
    go(tab.id);
  }

  function close(id: string): void {
    const tab = list.find((one) => one.id === id);
    if (!tab) return;
    const was_active = active_id() === id;
    const next = options.successor?.(id) ?? neighborOf(list, id)?.id;
    setClosed((before) => [...before, { ...unwrap(tab) }].slice(-MOST_CLOSED));
    update((tabs) => tabs.filter((one) => one.id !== id));
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
    open(wanted) {
      const present = sameTab(list, wanted);
      if (present) {
        go(present.id);
        return present.id;
      }
      const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
      add({ path: '', ...wanted, id, restored: false });
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
      setClosed((before) => before.filter((tab) => tab.server_id !== server_id));
    },
    can_reopen: () => closed().length > 0,
    reopen() {
      const tab = closed().at(-1);
      if (!tab) return;
      setClosed((before) => before.slice(0, -1));
      const present = sameTab(list, tab);
      if (present) go(present.id);
      else add({ ...tab, session_id: undefined, restored: false });
    },
    setPath: (id, path) => change(id, { path }),
    setSession: (id, session_id) => change(id, { session_id }),
    setReadable: (id, readable_size) => change(id, { readable_size }),
    setName: (id, server_name) => change(id, { server_name }),
  };
}
