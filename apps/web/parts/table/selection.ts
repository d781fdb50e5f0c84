export type RowId = number | string;

/** The selection by id, so that it survives sorting and reloading. */
export interface Selection {
  readonly chosen: ReadonlySet<RowId>;
  /** Where a range begins. */
  readonly anchor: RowId | undefined;
}

export const NOTHING: Selection = { chosen: new Set(), anchor: undefined };

/** Toggles one row, selects the `range` from the anchor, or adds that range. */
export type Reach = 'toggle' | 'range' | 'range_more';

export function choose(
  { chosen, anchor }: Selection,
  ids: readonly RowId[],
  { index, reach }: { readonly index: number; readonly reach: Reach },
): Selection {
  const id = ids[index];
  if (id === undefined) return { chosen, anchor };
  if (reach === 'toggle') return { chosen: toggled(chosen, id), anchor: id };
  const from = anchor === undefined ? -1 : ids.indexOf(anchor);
  const begin = from < 0 ? index : from;
  const range = ids.slice(Math.min(begin, index), Math.max(begin, index) + 1);
  const kept = reach === 'range' ? [] : chosen;
  return { chosen: new Set([...kept, ...range]), anchor: ids[begin] };
}

export function chooseAll(ids: readonly RowId[]): Selection {
  return { chosen: new Set(ids), anchor: ids[0] };
}

function toggled(chosen: ReadonlySet<RowId>, id: RowId): Set<RowId> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** What a key does to the cursor: the row to go to, or undefined for another key. */
export function rowAfter(key: string, index: number, { last, page }: { last: number; page: number }) {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: last,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.min(last, Math.max(0, to));
}
