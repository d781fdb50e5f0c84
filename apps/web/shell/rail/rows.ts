import { compareNaturally } from '../../lib/match/natural.ts';
import { isScattered } from '../../lib/match/rank.ts';
import type { Found } from '../../servers/find/find.ts';
import type { IndexedServer, ServerIndex } from '../../servers/find/server-index.ts';

const SHOWN_RECENTS = 5;
const RECENTS_FROM = 10; // with fewer servers the list itself is as short

/** A part of the tree that can be collapsed. */
export interface Section {
  /** `favorites`, `recents`, or `group:` and the name of the group. */
  readonly id: string;
  readonly server_ids: readonly number[];
}

interface Position {
  readonly level: 1 | 2;
  /** From 1, among the rows of the same parent. */
  readonly position: number;
  readonly count: number;
}

export interface SectionRow extends Position {
  readonly kind: 'section';
  readonly key: string;
  readonly section: Section;
  readonly is_open: boolean;
}

export interface ServerRow extends Position {
  readonly kind: 'server';
  readonly key: string;
  readonly server_id: number;
  /** Only its letters match, with gaps. */
  readonly is_scattered: boolean;
}

export type Row = SectionRow | ServerRow;

/** Groups in natural order, servers without a group last. */
export function groupsOf(list: readonly IndexedServer[]): Section[] {
  const groups = new Map<string, number[]>();
  for (const { server } of list) {
    const group = groups.get(server.group);
    if (group) group.push(server.id);
    else groups.set(server.group, [server.id]);
  }
  return [...groups]
    .sort(([one], [other]) => Number(one === '') - Number(other === '') || compareNaturally(one, other))
    .map(([name, server_ids]) => ({ id: `group:${name}`, server_ids }));
}

/** The name of the group that a section shows, empty for the servers without one; undefined if it shows no group. */
export function groupOf(section_id: string): string | undefined {
  return section_id.startsWith('group:') ? section_id.slice('group:'.length) : undefined;
}

/** The favorites and the last opened servers, as far as they still exist. */
export function ownSections(
  { by_id, list }: ServerIndex,
  { favorites, recents }: { readonly favorites: readonly number[]; readonly recents: readonly number[] },
): Section[] {
  const present = (ids: readonly number[]) => ids.filter((id) => by_id.has(id));
  const sections = [
    { id: 'favorites', server_ids: inOrder(present(favorites), by_id) },
    { id: 'recents', server_ids: list.length > RECENTS_FROM ? present(recents).slice(0, SHOWN_RECENTS) : [] },
  ];
  return sections.filter(({ server_ids }) => server_ids.length > 0);
}

function inOrder(ids: readonly number[], by_id: ServerIndex['by_id']): number[] {
  const nameOf = (id: number) => by_id.get(id)?.server.name ?? '';
  return [...ids].sort((one, other) => compareNaturally(nameOf(one), nameOf(other)));
}

export function treeRows(sections: readonly Section[], collapsed: ReadonlySet<string>): Row[] {
  return sections.flatMap((section, at): Row[] => {
    const is_open = !collapsed.has(section.id);
    const place = { level: 1, position: at + 1, count: sections.length } as const;
    const head: Row = { kind: 'section', key: section.id, section, is_open, ...place };
    return is_open ? [head, ...serverRows(section)] : [head];
  });
}

const rows_of_sections = new WeakMap<Section, readonly Row[]>();

/** Kept with the section: a search that is cleared shows thousands of them again. */
function serverRows(section: Section): readonly Row[] {
  const known = rows_of_sections.get(section);
  if (known) return known;
  const { id, server_ids } = section;
  const rows = server_ids.map(
    (server_id, at): Row => ({
      kind: 'server',
      key: `${id}/${server_id}`,
      server_id,
      is_scattered: false,
      level: 2,
      position: at + 1,
      count: server_ids.length,
    }),
  );
  rows_of_sections.set(section, rows);
  return rows;
}

/** Matches of a search, best first. */
export function flatRows(found: readonly Found[]): Row[] {
  return found.map(({ server, rank }, at) => ({
    kind: 'server',
    key: `found/${server.id}`,
    server_id: server.id,
    is_scattered: isScattered(rank),
    level: 1,
    position: at + 1,
    count: found.length,
  }));
}

/** The index of the section that the row at `index` belongs to; -1 in a flat list. */
export function sectionAbove(rows: readonly Row[], index: number): number {
  for (let at = Math.min(index, rows.length - 1); at >= 0; at -= 1)
    if (rows[at]?.kind === 'section') return at;
  return -1;
}
