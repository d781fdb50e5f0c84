import type { Entry } from './entries.ts';

/** A row that can be selected, if it can be addressed. */
export interface Selectable {
  readonly path: string;
  readonly addressable: boolean;
}

/** The selection by path, so it survives sorting and reloading. */
export interface Selection {
  readonly chosen: ReadonlySet<string>;
  /** The anchor of a range. */
  readonly anchor: string | undefined;
}

export const NOTHING: Selection = { chosen: new Set(), anchor: undefined };

/** Selects `one`, toggles one, selects a `range` from the anchor, or adds a range. */
export type Reach = 'one' | 'toggle' | 'range' | 'range_more';

export function reachOf(event: Pick<MouseEvent, 'shiftKey' | 'ctrlKey' | 'metaKey'>): Reach {
  const more = event.ctrlKey || event.metaKey;
  if (event.shiftKey) return more ? 'range_more' : 'range';
  return more ? 'toggle' : 'one';
}

/** Entries that cannot be addressed are never selected. */
export function choose(
  { chosen, anchor }: Selection,
  entries: readonly Selectable[],
  { index, reach }: { index: number; reach: Reach },
): Selection {
  const entry = entries[index];
  if (!entry) return { chosen, anchor };
  const { path } = entry;
  switch (reach) {
    case 'one':
      return { chosen: pathsOf([entry]), anchor: path };
    case 'toggle':
      return { chosen: entry.addressable ? toggled(chosen, path) : chosen, anchor: path };
    case 'range':
    case 'range_more': {
      const begin = anchorIndex(entries, anchor, index);
      const range = pathsOf(entries.slice(Math.min(begin, index), Math.max(begin, index) + 1));
      const before = reach === 'range' ? [] : chosen;
      return { chosen: new Set([...before, ...range]), anchor: entries[begin]?.path };
    }
  }
}

export function chooseAll(entries: readonly Selectable[]): Selection {
  return { chosen: pathsOf(entries), anchor: entries[0]?.path };
}

function anchorIndex(entries: readonly Selectable[], anchor: string | undefined, otherwise: number): number {
  const at = anchor === undefined ? -1 : entries.findIndex(({ path }) => path === anchor);
  return at < 0 ? otherwise : at;
}

function pathsOf(entries: readonly Selectable[]): Set<string> {
  return new Set(entries.filter(({ addressable }) => addressable).map(({ path }) => path));
}

function toggled(chosen: ReadonlySet<string>, path: string): Set<string> {
  const next = new Set(chosen);
  if (!next.delete(path)) next.add(path);
  return next;
}

/** The entry to move the cursor to when these are removed: the next remaining one, or else the previous. */
export function neighborPath(entries: readonly Selectable[], gone: ReadonlySet<string>): string | undefined {
  const stays = ({ path }: Selectable) => !gone.has(path);
  const last_gone = entries.findLastIndex(({ path }) => gone.has(path));
  if (last_gone < 0) return undefined;
  return (entries.slice(last_gone + 1).find(stays) ?? entries.slice(0, last_gone + 1).findLast(stays))?.path;
}

export function totalSize(entries: readonly Entry[]): number {
  return entries.reduce((sum, { is_dir, size }) => sum + (is_dir ? 0 : size), 0);
}
