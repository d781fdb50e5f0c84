import {
  addTab,
  type Group,
  groupOf,
  groupsOf,
  type Layout,
  putNextTo,
  removeTab,
  single,
} from './layout.ts';

const MAX_DEPTH = 8;

/** Restores a stored layout for the current tabs; an invalid one becomes a single group. */
export function readLayout(kept: unknown, tab_ids: readonly string[]): Layout {
  const layout = toLayout(kept, MAX_DEPTH);
  if (!layout) return single(tab_ids);
  const placed = groupsOf(layout).flatMap((group) => group.tab_ids);
  const is_sound = new Set(placed).size === placed.length && areUnique(groupsOf(layout));
  if (!is_sound || placed.length === 0) return single(tab_ids);
  return withTabs(layout, tab_ids);
}

/** Removes tabs that no longer exist and adds new ones to the given group, or else to the first. */
export function withTabs(layout: Layout, tab_ids: readonly string[], group_id?: string): Layout {
  const placed = groupsOf(layout).flatMap((group) => group.tab_ids);
  const left = placed.filter((id) => !tab_ids.includes(id)).reduce(removeTab, layout);
  const target = groupsOf(left).find(({ id }) => id === group_id) ?? groupsOf(left)[0];
  if (!target) return single(tab_ids);
  return tab_ids.filter((id) => !placed.includes(id)).reduce((next, id) => addTab(next, target.id, id), left);
}

/** Puts a reopened tab back to where it was before it closed; undefined if its pane is gone and others have changed. */
export function putBack(layout: Layout, tab_id: string, before: Layout): Layout | undefined {
  const present = groupsOf(layout).flatMap((group) => group.tab_ids);
  if (shapeOf(withTabs(before, present)) === shapeOf(layout)) return withTabs(before, [...present, tab_id]);
  const group = groupOf(before, tab_id);
  const target = groupsOf(layout).find(({ id }) => id === group?.id);
  if (!group || !target) return undefined;
  const left = group.tab_ids.slice(0, group.tab_ids.indexOf(tab_id)).toReversed();
  const beside = left.find((id) => target.tab_ids.includes(id));
  if (beside !== undefined) return putNextTo(layout, tab_id, beside, 'after');
  return putNextTo(layout, tab_id, target.tab_ids[0] ?? '', 'before');
}

function shapeOf(layout: Layout): string {
  if (layout.kind === 'group') return JSON.stringify([layout.id, layout.tab_ids]);
  return JSON.stringify([layout.direction, layout.parts.map(shapeOf)]);
}

function areUnique(groups: readonly Group[]): boolean {
  return new Set(groups.map(({ id }) => id)).size === groups.length;
}

function toLayout(value: unknown, deep: number): Layout | undefined {
  if (!isRecord(value) || deep === 0) return undefined;
  return value['kind'] === 'group' ? toGroup(value) : toSplit(value, deep);
}

function toGroup({ id, tab_ids, shown_id }: Readonly<Record<string, unknown>>): Group | undefined {
  if (typeof id !== 'string' || !Array.isArray(tab_ids) || !tab_ids.every(isText)) return undefined;
  const shown = tab_ids.find((tab_id) => tab_id === shown_id);
  return { kind: 'group', id, tab_ids, shown_id: shown ?? tab_ids.at(-1) };
}

function toSplit(value: Readonly<Record<string, unknown>>, deep: number): Layout | undefined {
  const { id, direction, parts, shares } = value;
  if (typeof id !== 'string' || (direction !== 'row' && direction !== 'column')) return undefined;
  if (!Array.isArray(parts) || !Array.isArray(shares) || parts.length !== shares.length) return undefined;
  const inner = parts.map((part) => toLayout(part, deep - 1)).filter((part) => part !== undefined);
  if (inner.length !== parts.length || inner.length < 2 || !shares.every(isShare)) return undefined;
  return { kind: 'split', id, direction, parts: inner, shares };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < 1;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
