import { type Accessor, createMemo, createSignal } from 'solid-js';
import type { Reach } from '../../parts/table/selection.ts';
import type { Server } from '../../servers/servers.ts';
import type { Row } from './rows.ts';

/** Servers by id, because a favorite has several rows. */
export interface Chosen {
  readonly ids: ReadonlySet<number>;
  /** Key of the row where a range begins. */
  readonly anchor: string | undefined;
}

export const NONE_CHOSEN: Chosen = { ids: new Set(), anchor: undefined };

interface Step {
  readonly index: number;
  readonly reach: Reach;
  /** The row where a range begins if none was chosen before. */
  readonly from?: number;
}

/** A section stands for its servers when it is toggled; a range has only the servers that are shown. */
export function choose({ ids, anchor }: Chosen, rows: readonly Row[], { index, reach, from }: Step): Chosen {
  const row = rows[index];
  if (!row) return { ids, anchor };
  if (reach === 'toggle') return { ids: toggled(ids, idsOf(row)), anchor: row.key };
  const known = rows.findIndex(({ key }) => key === anchor);
  const begin = known < 0 ? (from ?? index) : known;
  const range = rows.slice(Math.min(begin, index), Math.max(begin, index) + 1);
  const added = range.flatMap((one) => (one.kind === 'server' ? one.server_id : []));
  return { ids: new Set([...(reach === 'range' ? [] : ids), ...added]), anchor: rows[begin]?.key };
}

function idsOf(row: Row): readonly number[] {
  return row.kind === 'server' ? [row.server_id] : row.section.server_ids;
}

function toggled(before: ReadonlySet<number>, ids: readonly number[]): Set<number> {
  const are_all = ids.every((id) => before.has(id));
  const others = [...before].filter((id) => !ids.includes(id));
  return new Set(are_all ? others : [...before, ...ids]);
}

export interface RailSelection {
  /** In the order in which they were selected. */
  readonly servers: Accessor<readonly Server[]>;
  readonly count: Accessor<number>;
  has(server_id: number): boolean;
  hasAll(server_ids: readonly number[]): boolean;
  reach(index: number, reach: Reach, from?: number): void;
  all(): void;
  clear(): void;
}

interface Deps {
  readonly rows: Accessor<readonly Row[]>;
  serverOf(server_id: number): Server | undefined;
}

/** The servers that are selected for one action. It survives a search, but not a server that is gone. */
export function createRailSelection({ rows, serverOf }: Deps): RailSelection {
  const [chosen, setChosen] = createSignal(NONE_CHOSEN);
  const servers = createMemo(() => [...chosen().ids].flatMap((id) => serverOf(id) ?? []));
  const has = (id: number) => chosen().ids.has(id);
  return {
    servers,
    count: () => servers().length,
    has,
    hasAll: (ids) => ids.every(has),
    reach: (index, reach, from) =>
      setChosen((before) =>
        choose(before, rows(), {
          index,
          reach,
          ...(from === undefined || before.ids.size > 0 ? {} : { from }),
        }),
      ),
    all: () => {
      const ids = rows().flatMap((row) => (row.kind === 'server' ? row.server_id : []));
      setChosen({ ids: new Set(ids), anchor: rows()[0]?.key });
    },
    clear: () => setChosen(NONE_CHOSEN),
  };
}
