/** Tabs that share a pane; one of them is shown. */
export interface Group {
  readonly kind: 'group';
  readonly id: string;
  readonly tab_ids: readonly string[];
  readonly shown_id: string | undefined;
}

/** Panes side by side or one above the other. */
export interface Split {
  readonly kind: 'split';
  readonly id: string;
  readonly direction: 'row' | 'column';
  readonly parts: readonly Layout[];
  /** Fractions of the whole, one for each part. */
  readonly shares: readonly number[];
}

export type Layout = Group | Split;
export type Edge = 'left' | 'right' | 'top' | 'bottom';

/** Fractions of the whole, from 0 to 1. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const WHOLE: Box = { left: 0, top: 0, width: 1, height: 1 };

export function single(tab_ids: readonly string[], shown_id?: string): Group {
  return { kind: 'group', id: 'g0', tab_ids, shown_id: shown_id ?? tab_ids.at(-1) };
}

export function groupsOf(layout: Layout): Group[] {
  return layout.kind === 'group' ? [layout] : layout.parts.flatMap(groupsOf);
}

export function groupOf(layout: Layout, tab_id: string | undefined): Group | undefined {
  return groupsOf(layout).find(({ tab_ids }) => tab_id !== undefined && tab_ids.includes(tab_id));
}

/** Appends a tab to a group and shows it. */
export function addTab(layout: Layout, group_id: string, tab_id: string): Layout {
  return mapGroups(layout, (group) => {
    if (group.id !== group_id) return group;
    const others = group.tab_ids.filter((id) => id !== tab_id);
    return { ...group, tab_ids: [...others, tab_id], shown_id: tab_id };
  });
}

/** Removes a tab, and its group if that is then empty and not the only one. */
export function removeTab(layout: Layout, tab_id: string): Layout {
  return tidy(
    mapGroups(layout, (group) => {
      const at = group.tab_ids.indexOf(tab_id);
      if (at < 0) return group;
      const tab_ids = group.tab_ids.filter((id) => id !== tab_id);
      const shown_id = group.shown_id === tab_id ? (tab_ids[at] ?? tab_ids[at - 1]) : group.shown_id;
      return { ...group, tab_ids, shown_id };
    }),
  );
}

export function showTab(layout: Layout, tab_id: string): Layout {
  return mapGroups(layout, (group) =>
    group.tab_ids.includes(tab_id) && group.shown_id !== tab_id ? { ...group, shown_id: tab_id } : group,
  );
}

export function moveTab(layout: Layout, tab_id: string, group_id: string): Layout {
  if (groupOf(layout, tab_id)?.id === group_id) return showTab(layout, tab_id);
  if (!groupsOf(layout).some(({ id }) => id === group_id)) return layout;
  return tidy(addTab(removeTabOnly(layout, tab_id), group_id, tab_id));
}

/** Puts a tab next to another one, in that one's group, and shows it. */
export function putNextTo(
  layout: Layout,
  tab_id: string,
  beside_id: string,
  side: 'before' | 'after',
): Layout {
  if (tab_id === beside_id || !groupOf(layout, beside_id)) return layout;
  const without = removeTabOnly(layout, tab_id);
  return tidy(
    mapGroups(without, (group) => {
      const at = group.tab_ids.indexOf(beside_id);
      if (at < 0) return group;
      const tab_ids = group.tab_ids.toSpliced(side === 'after' ? at + 1 : at, 0, tab_id);
      return { ...group, tab_ids, shown_id: tab_id };
    }),
  );
}

interface Place {
  readonly group_id: string;
  readonly edge: Edge;
  /** Id of the new group, from which the new split's id is derived. */
  readonly new_id: string;
}

/** Gives a tab its own group next to another, moving the tab if it is already placed. */
export function splitAt(layout: Layout, tab_id: string, { group_id, edge, new_id }: Place): Layout {
  const beside = groupsOf(layout).find(({ id }) => id === group_id);
  if (!beside || (beside.tab_ids.length === 1 && beside.tab_ids[0] === tab_id)) return layout;
  const added: Group = { kind: 'group', id: new_id, tab_ids: [tab_id], shown_id: tab_id };
  return tidy(insert(removeTabOnly(layout, tab_id), added, { group_id, edge, new_id }));
}

function insert(layout: Layout, added: Group, place: Place): Layout {
  if (layout.kind === 'split')
    return { ...layout, parts: layout.parts.map((part) => insert(part, added, place)) };
  if (layout.id !== place.group_id) return layout;
  const is_first = place.edge === 'left' || place.edge === 'top';
  return {
    kind: 'split',
    id: `s-${place.new_id}`,
    direction: place.edge === 'left' || place.edge === 'right' ? 'row' : 'column',
    parts: is_first ? [added, layout] : [layout, added],
    shares: [0.5, 0.5],
  };
}

export function setShares(layout: Layout, split_id: string, shares: readonly number[]): Layout {
  if (layout.kind === 'group') return layout;
  if (layout.id === split_id) return { ...layout, shares };
  return { ...layout, parts: layout.parts.map((part) => setShares(part, split_id, shares)) };
}

/** The box of each group. */
export function boxesOf(layout: Layout, box: Box = WHOLE): Map<string, Box> {
  if (layout.kind === 'group') return new Map([[layout.id, box]]);
  const inner = partBoxes(layout, box);
  return new Map(layout.parts.flatMap((part, at) => [...boxesOf(part, inner[at] ?? box)]));
}

export function partBoxes({ direction, shares }: Split, box: Box): Box[] {
  let passed = 0;
  return shares.map((share) => {
    const begin = passed;
    passed += share;
    return direction === 'row'
      ? { ...box, left: box.left + begin * box.width, width: share * box.width }
      : { ...box, top: box.top + begin * box.height, height: share * box.height };
  });
}

function mapGroups(layout: Layout, change: (group: Group) => Group): Layout {
  if (layout.kind === 'group') return change(layout);
  return { ...layout, parts: layout.parts.map((part) => mapGroups(part, change)) };
}

function removeTabOnly(layout: Layout, tab_id: string): Layout {
  return mapGroups(layout, (group) => {
    if (!group.tab_ids.includes(tab_id)) return group;
    const tab_ids = group.tab_ids.filter((id) => id !== tab_id);
    return { ...group, tab_ids, shown_id: group.shown_id === tab_id ? tab_ids.at(-1) : group.shown_id };
  });
}

/** Removes empty groups and single-part splits, and flattens nested splits of the same direction. */
function tidy(layout: Layout): Layout {
  return pruned(layout) ?? single([]);
}

function pruned(layout: Layout): Layout | undefined {
  if (layout.kind === 'group') return layout.tab_ids.length === 0 ? undefined : layout;
  const kept = layout.parts.flatMap((part, at) => {
    const inner = pruned(part);
    const share = layout.shares[at] ?? 0;
    if (!inner) return [];
    if (inner.kind === 'group' || inner.direction !== layout.direction) return [{ part: inner, share }];
    return inner.parts.map((one, nth) => ({ part: one, share: share * (inner.shares[nth] ?? 0) }));
  });
  const [first] = kept;
  if (kept.length <= 1) return first?.part;
  const sum = kept.reduce((total, { share }) => total + share, 0);
  return {
    ...layout,
    parts: kept.map(({ part }) => part),
    shares: kept.map(({ share }) => share / sum),
  };
}

/** A box as custom properties, from which the style sheet computes lengths. */
export function placeOf(box: Box | undefined) {
  const { left, top, width, height } = box ?? { left: 0, top: 0, width: 1, height: 1 };
  return { '--x': left, '--y': top, '--w': width, '--h': height };
}
