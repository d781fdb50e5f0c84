import { type Accessor, batch, createComputed, createMemo, createSignal, on, untrack } from 'solid-js';
import { createFilter, findServers, type Surroundings } from '../../servers/find/find.ts';
import {
  isEmptyQuery,
  parseQuery,
  type ServerQuery,
  toggleToken,
  tokensOf,
} from '../../servers/find/query.ts';
import type { ServerIndex } from '../../servers/find/server-index.ts';
import { useKnownServers } from '../../servers/known-servers.ts';
import { useStatusWatch } from '../../servers/status/status.ts';
import {
  flatRows,
  groupOf,
  groupsOf,
  ownSections,
  type Row,
  type Section,
  type ServerRow,
  sectionAbove,
  treeRows,
} from './rows.ts';
import { createRailSelection, type RailSelection } from './selection.ts';

const NONE_COLLAPSED: ReadonlySet<string> = new Set();

export interface RailModel {
  readonly text: Accessor<string>;
  setText(text: string): void;
  /** A server was opened by what was typed: the words go, and filters by token stay. */
  endSearch(): void;
  readonly query: Accessor<ServerQuery>;
  readonly rows: Accessor<readonly Row[]>;
  /** The index of the row that keys act on; -1 without rows. */
  readonly active: Accessor<number>;
  setActive(index: number): void;
  setOpen(section: Section, is_open: boolean): void;
  setAllOpen(is_open: boolean): void;
  offlineIn(section: Section): number;
  /** Shows only the offline servers of this section; undefined where no search finds the section. */
  showOffline(section: Section): (() => void) | undefined;
  /** The groups of all servers; an empty name stands for the servers without one. */
  readonly group_names: Accessor<readonly string[]>;
  /** While the pointer is over the rows, neither an opened server nor a change of states moves them. */
  setPointed(is_pointed: boolean): void;
  readonly selection: RailSelection;
}

/** What the rail shows: the tree of servers, or the matches of a search. */
export function createRailModel(): RailModel {
  const { index, own, serverOf, surroundingsOf } = useKnownServers();
  const { states } = useStatusWatch();
  const [text, setText] = createSignal('');
  const [is_pointed, setPointed] = createSignal(false);
  const recents = createCalmRecents(own.recents, is_pointed);
  const query = createMemo(() => parseQuery(text()));
  const collapsed = createMemo(() => new Set(own.collapsed()));
  const groups = createMemo(() => groupsOf(index()?.list ?? []));

  const surroundings = createCalmSurroundings(query, surroundingsOf, is_pointed);

  const rows = createMemo((): readonly Row[] => {
    const known = index();
    if (!known) return [];
    if (isEmptyQuery(query())) {
      const own_sections = ownSections(known, { favorites: own.favorites(), recents: recents() });
      return treeRows([...own_sections, ...groups()], collapsed());
    }
    return matchingRows(query(), known, surroundings());
  });
  const { active, setActive } = createCursor(rows);

  /** The best match is the active row; an empty search returns to the row of the server that was active. */
  function search(typed: string): void {
    const before = rows()[active()];
    setText(typed);
    const same = rows().findLastIndex(
      (row) => isServer(row) && isServer(before) && row.server_id === before.server_id,
    );
    setActive(isEmptyQuery(query()) ? Math.max(0, same) : rows().findIndex(isServer));
  }

  return {
    ...{ text, query, rows, active, setActive, setPointed },
    selection: createRailSelection({ rows, serverOf }),
    setText: (typed) => batch(() => search(typed)),
    endSearch: () => text() !== '' && batch(() => search(tokensOf(text()))),
    setOpen: ({ id }, is_open) => own.setCollapsed([id], !is_open),
    setAllOpen: (is_open) =>
      own.setCollapsed(
        groups().map(({ id }) => id),
        !is_open,
      ),
    group_names: () => groups().map(({ id }) => groupOf(id) ?? ''),
    showOffline({ id }) {
      const token = tokenOf(id);
      return token === undefined ? undefined : () => batch(() => search(`${token} is:offline`));
    },
    offlineIn({ server_ids }) {
      const stateOf = states();
      return server_ids.reduce((count, id) => count + Number(stateOf(id) === 'offline'), 0);
    },
  };
}

/** Ranked by words; tokens alone leave the groups as they are. */
function matchingRows(query: ServerQuery, index: ServerIndex, surroundings: Surroundings) {
  if (query.words.joined !== '') return flatRows(findServers(query, index, surroundings));
  const isWanted = createFilter(query, index, surroundings);
  return treeRows(groupsOf(index.list.filter(isWanted)), NONE_COLLAPSED);
}

/** Returns the token that finds the servers of a section. */
function tokenOf(section_id: string): string | undefined {
  if (section_id === 'favorites') return toggleToken('', 'is', 'favorite');
  const group = groupOf(section_id);
  return group === undefined ? undefined : toggleToken('', 'group', group);
}

function isServer(row: Row | undefined): row is ServerRow {
  return row?.kind === 'server';
}

/** The cursor stays on its row when others come or go, and near its place when its row goes. */
function createCursor(rows: Accessor<readonly Row[]>) {
  const [key, setKey] = createSignal<string>();
  const active = createMemo<number>((before) => {
    const [wanted, present] = [key(), rows()];
    const at = present[before]?.key === wanted ? before : present.findIndex((row) => row.key === wanted);
    return at >= 0 ? at : Math.min(Math.max(before, 0), present.length - 1);
  }, 0);
  return { active, setActive: (index: number) => void setKey(rows()[index]?.key) };
}

function createCalmRecents(
  recents: Accessor<readonly number[]>,
  is_pointed: Accessor<boolean>,
): Accessor<readonly number[]> {
  const [shown, setShown] = createSignal(untrack(recents));
  createComputed(() => {
    if (!is_pointed()) setShown(recents());
  });
  return shown;
}

/** What decides the found rows. Their order stays until the query changes, and under the pointer they stay themselves. */
function createCalmSurroundings(
  query: Accessor<ServerQuery>,
  surroundingsOf: (query: ServerQuery) => Surroundings,
  is_pointed: Accessor<boolean>,
): Accessor<Surroundings> {
  const searched = createMemo(on(query, (asked) => ({ asked, ...surroundingsOf(asked) })));
  return createMemo<Surroundings & { readonly asked?: ServerQuery }>((before) => {
    const { asked, recents } = searched();
    if (is_pointed() && before?.asked === asked) return before;
    return { asked, ...surroundingsOf(asked), recents };
  });
}

/** The row of the section that the row at `index` is in. */
export function parentOf(rows: readonly Row[], index: number): number {
  return rows[index]?.level === 2 ? sectionAbove(rows, index) : -1;
}
