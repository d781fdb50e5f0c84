import { type Accessor, createComputed, createMemo, createSignal, on, onCleanup, untrack } from 'solid-js';
import { createPlace } from '../../lib/storage.ts';
import { sameTab, type Tab, type Tabs, type WantedTab } from '../tabs/tabs.ts';
import { putBack, readLayout, withTabs } from './kept-layout.ts';
import {
  type Box,
  boxesOf,
  type Edge,
  type Group,
  groupOf,
  groupsOf,
  type Layout,
  moveTab,
  putNextTo,
  removeTab,
  setShares,
  showTab,
  single,
  splitAt,
} from './layout.ts';
import { createTiles, type Tiles } from './tiles.ts';

const NARROW = '(max-width: 720px)';
const RAIL_PX = 272;
const ROOMY_PX = 480; // enough for a tab and the controls in one row

export interface Panes extends Tiles {
  /** The layout as shown: narrow screens have a single pane. */
  readonly layout: Accessor<Layout>;
  readonly group_ids: Accessor<readonly string[]>;
  readonly is_split: Accessor<boolean>;
  group(id: string): Group | undefined;
  groupOf(tab_id: string): Group | undefined;
  box(group_id: string | undefined): Box | undefined;
  isShown(tab_id: string): boolean;
  /** Whether a pane of a split has one tab and room for it in the row of its controls. */
  isSingle(group_id: string | undefined): boolean;
  /** The tab of the same group that is shown after this one closes. */
  successor(tab_id: string): string | undefined;
  /** Opens a tab in a new pane to the right of the active one. */
  openBeside(wanted: WantedTab): string;
  /** Opens a tab in the same pane, next to the tab it was opened from. */
  openNextTo(tab_id: string, wanted: WantedTab): string;
  /** How a tab can be split: another tab like it, or the tab itself beside the others. Undefined on a narrow page. */
  splitWay(tab_id: string): 'another' | 'move' | 'alone' | undefined;
  /** Opens another tab like this one, by default like the active one, to the right or below, or moves it there. */
  split(edge: 'right' | 'bottom', tab_id?: string): void;
  /** Opens another tab like this one, next to it. */
  duplicate(tab_id: string): void;
  /** The tabs from the first pane to the last, in the order of their strips. */
  readonly order: Accessor<readonly string[]>;
  /** Puts a tab before or after another one, in the same pane as that one. */
  reorder(tab_id: string, beside_id: string, side: 'before' | 'after'): void;
  /** Moves a tab into a group, or to a new group at its edge. */
  place(tab_id: string, group_id: string, edge: Edge | undefined): void;
  step(by: 1 | -1): void;
  resize(split_id: string, shares: readonly number[]): void;
}

/** The arrangement of the tabs in panes, kept across reloads. */
export function createPanes(tabs: Tabs, user_id: number): Panes {
  const ids = createMemo(() => tabs.list.map(({ id }) => id));
  const [layout, setLayout] = createKeptLayout(untrack(ids), user_id);
  const active_id = () => tabs.active()?.id;
  const is_narrow = createMedia(NARROW);
  const page_px = createPageWidth();
  let last_group: string | undefined;

  const follow = createFollowing();
  createComputed(on(ids, (present) => void setLayout(follow(layout(), present, last_group))));
  createComputed(
    on(active_id, (id) => {
      if (id === undefined) return;
      setLayout(showTab(layout(), id));
      last_group = groupOf(layout(), id)?.id;
    }),
  );
  const shown = createMemo(() => (is_narrow() ? single(ids(), active_id()) : layout()));
  const boxes = createMemo(() => boxesOf(shown()));
  const group_ids = createMemo(() => groupsOf(shown()).map(({ id }) => id), [], { equals: areSame });
  const groupOfTab = (tab_id: string | undefined) => groupOf(shown(), tab_id);

  return {
    layout: shown,
    group_ids,
    is_split: () => group_ids().length > 1,
    group: (id) => groupsOf(shown()).find((group) => group.id === id),
    groupOf: groupOfTab,
    order: () => groupsOf(shown()).flatMap((group) => group.tab_ids),
    box: (group_id) => (group_id === undefined ? undefined : boxes().get(group_id)),
    isSingle(group_id) {
      const group = groupsOf(shown()).find(({ id }) => id === group_id);
      const width_px = (boxes().get(group?.id ?? '')?.width ?? 0) * (page_px() - RAIL_PX);
      return group_ids().length > 1 && group?.tab_ids.length === 1 && width_px >= ROOMY_PX;
    },
    isShown: (tab_id) => active_id() !== undefined && groupOfTab(tab_id)?.shown_id === tab_id,
    successor(tab_id) {
      const group = groupOfTab(tab_id);
      const opener_id = tabs.list.find(({ id }) => id === tab_id)?.opener_id;
      if (opener_id !== undefined && group?.tab_ids.includes(opener_id)) return opener_id;
      const left = removeTab(shown(), tab_id);
      return groupsOf(left).find(({ id }) => id === group?.id)?.shown_id;
    },
    step(by) {
      const groups = groupsOf(shown());
      const at = groups.findIndex(({ id }) => id === groupOfTab(active_id())?.id);
      const next = groups.at((at + by) % Math.max(1, groups.length))?.shown_id;
      if (next !== undefined) tabs.activate(next);
    },
    ...createPaneChanges({ tabs, layout, setLayout, is_narrow }),
    ...createTiles({ tabs, layout, setLayout, is_narrow }),
  };
}

const MOST_REMEMBERED = 20;

/** Keeps the layout in line with the open tabs. A reopened tab goes back to where it was. */
function createFollowing() {
  const left = new Map<string, Layout>();
  return (layout: Layout, present: readonly string[], group_id: string | undefined): Layout => {
    const placed = groupsOf(layout).flatMap((group) => group.tab_ids);
    const returning = present.filter((id) => !placed.includes(id) && left.has(id));
    const remaining = withTabs(
      layout,
      placed.filter((id) => present.includes(id)),
    );
    const back = returning.reduce((next, id) => {
      const before = left.get(id);
      left.delete(id);
      return (before && putBack(next, id, before)) ?? next;
    }, remaining);
    for (const id of placed.filter((one) => !present.includes(one))) left.set(id, layout);
    for (const id of [...left.keys()].slice(0, -MOST_REMEMBERED)) left.delete(id);
    return withTabs(back, present, group_id);
  };
}

interface ChangeDeps {
  readonly tabs: Tabs;
  readonly layout: Accessor<Layout>;
  readonly setLayout: (next: Layout) => void;
  readonly is_narrow: Accessor<boolean>;
}

function createPaneChanges({ tabs, layout, setLayout, is_narrow }: ChangeDeps) {
  function splitWay(tab_id: string): ReturnType<Panes['splitWay']> {
    const tab = tabs.list.find(({ id }) => id === tab_id);
    if (!tab || is_narrow()) return undefined;
    if (anotherLike(tab)) return 'another';
    return groupOf(layout(), tab_id)?.tab_ids.length === 1 ? 'alone' : 'move';
  }
  function place(tab_id: string, group_id: string, edge: Edge | undefined): void {
    const new_id = `g-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
    const before = layout();
    setLayout(edge ? splitAt(before, tab_id, { group_id, edge, new_id }) : moveTab(before, tab_id, group_id));
    tabs.activate(tab_id);
  }
  return {
    openBeside(wanted: WantedTab): string {
      const group = groupOf(layout(), tabs.active()?.id);
      const is_open = sameTab(tabs.list, wanted) !== undefined;
      const id = tabs.open(wanted);
      if (group && !is_open && !is_narrow())
        setLayout(splitAt(layout(), id, { group_id: group.id, edge: 'right', new_id: `g-${id}` }));
      return id;
    },
    openNextTo(tab_id: string, wanted: WantedTab): string {
      const is_open = sameTab(tabs.list, wanted) !== undefined;
      const id = tabs.open({ ...wanted, opener_id: tab_id });
      if (!is_open) setLayout(putNextTo(layout(), id, tab_id, 'after'));
      return id;
    },
    reorder(tab_id: string, beside_id: string, side: 'before' | 'after'): void {
      setLayout(putNextTo(layout(), tab_id, beside_id, side));
      tabs.activate(tab_id);
    },
    duplicate(tab_id: string): void {
      const tab = tabs.list.find(({ id }) => id === tab_id);
      const wanted = tab && anotherLike(tab);
      if (!wanted) return;
      const id = tabs.open(wanted);
      setLayout(putNextTo(layout(), id, tab_id, 'after'));
    },
    split(edge: 'right' | 'bottom', tab_id = tabs.active()?.id): void {
      const active = tabs.list.find(({ id }) => id === tab_id);
      const group = groupOf(layout(), active?.id);
      const way = active && splitWay(active.id);
      if (!active || !group || way === undefined || way === 'alone') return;
      const wanted = anotherLike(active);
      if (!wanted) {
        place(active.id, group.id, edge);
        return;
      }
      const id = tabs.open(wanted);
      const next = splitAt(layout(), id, { group_id: group.id, edge, new_id: `g-${id}` });
      setLayout(showTab(next, active.id));
    },
    splitWay,
    place,
    resize: (split_id: string, shares: readonly number[]) => setLayout(setShares(layout(), split_id, shares)),
  };
}

/** A second tab cannot show the same own session, so it opens a new shell. Undefined for what can be open only once. */
function anotherLike(tab: Tab): WantedTab | undefined {
  const { kind, server_id, server_name, path, aim } = tab;
  if (kind !== 'terminal' && kind !== 'files') return undefined;
  if (aim?.kind !== 'session') return { kind, server_id, server_name, path, ...(aim ? { aim } : {}) };
  return server_id > 0 ? { kind, server_id, server_name, path } : undefined;
}

function createKeptLayout(tab_ids: readonly string[], user_id: number) {
  const place = createPlace('session', 'panes');
  const [layout, update] = createSignal(readLayout(ofUser(place.read(), user_id), tab_ids));
  const set = (next: Layout) => {
    update(next);
    place.write({ user_id, layout: next });
  };
  return [layout, set] as const;
}

function ofUser(kept: unknown, user_id: number): unknown {
  const value: Readonly<Record<string, unknown>> =
    typeof kept === 'object' && kept !== null ? { ...kept } : {};
  return value['user_id'] === user_id ? value['layout'] : undefined;
}

function createMedia(query: string): Accessor<boolean> {
  const media = matchMedia(query);
  const [matches, setMatches] = createSignal(media.matches);
  const follow = () => setMatches(media.matches);
  media.addEventListener('change', follow);
  onCleanup(() => media.removeEventListener('change', follow));
  return matches;
}

function createPageWidth(): Accessor<number> {
  const [width_px, setWidth] = createSignal(innerWidth);
  const follow = () => setWidth(innerWidth);
  addEventListener('resize', follow);
  onCleanup(() => removeEventListener('resize', follow));
  return width_px;
}

function areSame(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((id, at) => id === after[at]);
}
