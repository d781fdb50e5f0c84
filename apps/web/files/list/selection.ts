import type { Entry } from './entries.ts';

/** What is chosen in a list, by path: it stays with its names when the list is sorted or read again. */
export interface Selection {
  readonly chosen: ReadonlySet<string>;
  /** Where a range begins. */
  readonly anchor: string | undefined;
}

export const NOTHING: Selection = { chosen: new Set(), anchor: undefined };

/** `one` alone, `toggle` one more or less, a `range` from the anchor, or a range more. */
export type Reach = 'one' | 'toggle' | 'range' | 'range_more';

export function reachOf(event: Pick<MouseEvent, 'shiftKey' | 'ctrlKey' | 'metaKey'>): Reach {
  const more = event.ctrlKey || event.metaKey;
  if (event.shiftKey) return more ? 'range_more' : 'range';
  return more ? 'toggle' : 'one';
}

/** What no operation can name is never chosen. */
export function choose(
  { chosen, anchor }: Selection,
  entries: readonly Entry[],
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

export function chooseAll(entries: readonly Entry[]): Selection {
  return { chosen: pathsOf(entries), anchor: entries[0]?.path };
}

function anchorIndex(entries: readonly Entry[], anchor: string | undefined, otherwise: number): number {
  const at = anchor === undefined ? -1 : entries.findIndex(({ path }) => path === anchor);
  return at < 0 ? otherwise : at;
}

function pathsOf(entries: readonly Entry[]): Set<string> {
  return new Set(entries.filter(({ addressable }) => addressable).map(({ path }) => path));
}

function toggled(chosen: ReadonlySet<string>, path: string): Set<string> {
  const next = new Set(chosen);
  if (!next.delete(path)) next.add(path);
  return next;
}

/** Where the cursor goes when these vanish: the next that stays, or else the one before. */
export function neighbourName(entries: readonly Entry[], gone: ReadonlySet<string>): string | undefined {
  const stays = ({ path }: Entry) => !gone.has(path);
  const last_gone = entries.findLastIndex(({ path }) => gone.has(path));
  if (last_gone < 0) return undefined;
  return (entries.slice(last_gone + 1).find(stays) ?? entries.slice(0, last_gone + 1).findLast(stays))?.name;
}

export function totalSize(entries: readonly Entry[]): number {
  return entries.reduce((sum, { is_dir, size }) => sum + (is_dir ? 0 : size), 0);
}
