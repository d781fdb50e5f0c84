import type { Accessor } from 'solid-js';
import { createStore, produce } from 'solid-js/store';
import { createPlace } from './storage.ts';

export type TabKind = 'terminal' | 'files';

export interface Tab {
  readonly id: string;
  readonly kind: TabKind;
  readonly server_id: number;
  readonly server_name: string;
  /** Directory of a file tab. */
  readonly path: string;
  /** From before a reload or a new sign-in: a shell of that time is gone. */
  readonly restored: boolean;
}

export interface Tabs {
  readonly list: readonly Tab[];
  readonly active: Accessor<Tab | undefined>;
  /** In front then; its id. */
  open(wanted: Pick<Tab, 'kind' | 'server_id' | 'server_name'> & { path?: string }): string;
  /** By the way, where the keys have gone there already: without a step of the history of its own. */
  activate(id: string, how?: 'replace'): void;
  step(by: 1 | -1): void;
  close(id: string): void;
  closeOf(server_id: number): void;
  setPath(id: string, path: string): void;
}

interface Options {
  readonly user_id: number;
  readonly active_id: Accessor<string | undefined>;
  readonly go: (id: string | undefined, how?: 'replace') => void;
  /** The tab that comes to the front when this one is closed; unless told otherwise, the one beside it. */
  readonly successor?: (id: string) => string | undefined;
  /** Asks, where something unsaved would go with a tab. */
  readonly mayClose?: (id: string) => boolean | Promise<boolean>;
}

/** The open tabs; which one is active is the page's address. */
export function createTabs(options: Options): Tabs {
  const { user_id, active_id, go, mayClose = () => true } = options;
  const place = createPlace('session', 'tabs');
  const [list, update] = createStore<Tab[]>(readTabs(place.read(), user_id));
  const keep = () => place.write({ user_id, tabs: list });

  function close(id: string): void {
    const was_active = active_id() === id;
    const next = options.successor?.(id) ?? neighbourOf(list, id)?.id;
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
    open({ kind, server_id, server_name, path = '' }) {
      const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
      update(produce((tabs) => void tabs.push({ id, kind, server_id, server_name, path, restored: false })));
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
    setPath(id, path) {
      update((tab) => tab.id === id, { path });
      keep();
    },
  };
}

/** The one to the right takes over, or the new last one. */
export function neighbourOf(tabs: readonly Tab[], id: string): Tab | undefined {
  const at = tabs.findIndex((tab) => tab.id === id);
  return tabs[at + 1] ?? tabs[at - 1];
}

/** Another user's tabs are not shown. */
export function readTabs(kept: unknown, user_id: number): Tab[] {
  if (!isRecord(kept) || kept['user_id'] !== user_id || !Array.isArray(kept['tabs'])) return [];
  return kept['tabs'].filter(isTab).map((tab) => ({ ...tab, restored: true }));
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

/** Two tabs on one server differ by a number. */
export function labelOf(tab: Tab, tabs: readonly Tab[]): string {
  const alike = tabs.filter(({ kind, server_id }) => kind === tab.kind && server_id === tab.server_id);
  const nth = alike.findIndex(({ id }) => id === tab.id) + 1;
  return alike.length > 1 ? `${tab.server_name} (${nth})` : tab.server_name;
}
