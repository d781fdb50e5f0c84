import { type Accessor, batch } from 'solid-js';
import type { Tabs, WantedTab } from '../tabs/tabs.ts';
import { withTabs } from './kept-layout.ts';
import { type Group, groupsOf, type Layout, showTab, single } from './layout.ts';

export const MOST_TILES = 12; // beyond that a terminal has too few lines to read

/** Tabs that share a tile; the first one is shown. */
type Stack = readonly [string, ...string[]];

export interface Tiles {
  /** Whether the page has room for panes beside each other. */
  readonly has_room: Accessor<boolean>;
  /** Whether there are several tabs, and room for tiles. */
  readonly can_tile: Accessor<boolean>;
  /** Gives each tab a tile; what exceeds the limit shares the last one. */
  tile(): void;
  /** Puts the tabs back to where they were, or else into one pane. */
  untile(): void;
  /** Opens terminals or lists as tiles. Other tabs go behind the first one. */
  openTiled(wanted: readonly WantedTab[]): readonly string[];
}

interface Deps {
  readonly tabs: Tabs;
  readonly layout: Accessor<Layout>;
  readonly setLayout: (next: Layout) => void;
  readonly is_narrow: Accessor<boolean>;
}

export function createTiles({ tabs, layout, setLayout, is_narrow }: Deps): Tiles {
  let tiled: { readonly id: string; readonly before: Layout } | undefined;
  const has_room = () => !is_narrow();
  const can_tile = () => has_room() && tabs.list.length > 1;

  function setTiles(stacks: readonly Stack[], before: Layout): void {
    const id = `t-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
    tiled = { id, before: tiled && before.id === tiled.id ? tiled.before : before };
    setLayout(gridOf(stacks, id));
  }
  return {
    has_room,
    can_tile,
    tile() {
      const before = layout();
      if (can_tile()) setTiles(stacksOf(idsIn(before), tabs.active()?.id), before);
    },
    untile() {
      const [present, active_id] = [layout(), tabs.active()?.id];
      const ids = idsIn(present);
      const next = tiled?.id === present.id ? withTabs(tiled.before, ids) : single(ids, active_id);
      tiled = undefined;
      setLayout(active_id === undefined ? next : showTab(next, active_id));
    },
    openTiled: (wanted) =>
      batch(() => {
        const before = layout();
        const ids = tabs.openAll(wanted);
        const [first, ...rest] = stacksOf(ids, undefined);
        if (first && has_room()) setTiles([[...first, ...idsIn(before)], ...rest], before);
        return ids;
      }), // terminals are measured in their tiles
  };
}

function idsIn(layout: Layout): string[] {
  return groupsOf(layout).flatMap(({ tab_ids }) => tab_ids);
}

/** One tab each, as far as the limit allows. `active_id` is in front of those that it shares a tile with. */
export function stacksOf(ids: readonly string[], active_id: string | undefined): Stack[] {
  const stacks: Stack[] = [];
  for (const id of ids) {
    const last = stacks.at(-1);
    if (!last || stacks.length < MOST_TILES) stacks.push([id]);
    else stacks[stacks.length - 1] = id === active_id ? [id, ...last] : [...last, id];
  }
  return stacks;
}

/** How many tiles each row has: as even as possible, and rather wide than high, because lines are long. */
export function tilesInRows(count: number): number[] {
  const columns = Math.max(2, Math.round(Math.sqrt(count)));
  const rows = Math.ceil(count / columns);
  return Array.from({ length: rows }, (_, at) => Math.floor(count / rows) + Number(at < count % rows));
}

/** A pane for each stack of tabs, row by row. */
export function gridOf(stacks: readonly Stack[], id: string): Layout {
  const tiles = stacks.map(
    ([shown_id, ...more], at): Group => ({
      kind: 'group',
      id: `${id}-${at}`,
      tab_ids: [shown_id, ...more],
      shown_id,
    }),
  );
  let begin = 0;
  const rows = tilesInRows(tiles.length).map((count, at): Layout => {
    const row = tiles.slice(begin, begin + count);
    begin += count;
    return splitOf(row, { id: `${id}-row-${at}`, direction: 'row' });
  });
  return { ...splitOf(rows, { id, direction: 'column' }), id };
}

function splitOf(parts: readonly Layout[], how: { id: string; direction: 'row' | 'column' }): Layout {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return { kind: 'split', ...how, parts, shares: parts.map(() => 1 / parts.length) };
}
