import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import type { ServerFilter, ServerRow } from '#core/model/server.ts';
import type { ServerRepository, ServerRowPatch, VisibleGroups } from '#core/ports/repositories.ts';
import type { Tables } from '../schema/schema.ts';
import type { Db, Store } from '../store.ts';
import { alphabetical } from './alphabetical.ts';
import { forChunks } from './chunks.ts';
import { createHostKeys } from './host-keys.ts';
import { orFault } from './or-fault.ts';
import { onlyRow } from './rows.ts';

export function createServerRepository(store: Store): ServerRepository {
  return { ...createReading(store), ...createWriting(store), ...createHostKeys(store) };
}

type Reading = Pick<ServerRepository, 'list' | 'byId' | 'byIds' | 'groups' | 'jumpingVia'>;
type Writing = Pick<ServerRepository, 'insert' | 'update' | 'remove' | 'touchConnected'>;

function createReading({ db, tables: { servers } }: Store): Reading {
  const within = (visible: VisibleGroups) =>
    visible === 'all' ? undefined : inArray(servers.group, [...visible]);

  return {
    async list(visible, filter) {
      const inGroup = filter.group === undefined ? undefined : eq(servers.group, filter.group);
      const rows = await db
        .select()
        .from(servers)
        .where(and(within(visible), inGroup));
      return rows.filter((row) => matches(row, filter)).sort(byName);
    },

    async byId(id) {
      const [row] = await db.select().from(servers).where(eq(servers.id, id));
      return row;
    },

    byIds: (ids) => forChunks(ids, (part) => db.select().from(servers).where(inArray(servers.id, part))),

    async groups(visible) {
      const named = and(within(visible), ne(servers.group, ''));
      const rows = await db.selectDistinct({ group: servers.group }).from(servers).where(named);
      return rows.map(({ group }) => group).sort(alphabetical);
    },

    async jumpingVia(id) {
      const rows = await db.select().from(servers).where(eq(servers.jump_via_id, id));
      return rows.sort(byName);
    },
  };
}

// A server has one foreign key, its jump host.
function createWriting({ db, alone, tables: { servers } }: Store): Writing {
  function change(on: Db, id: number, patch: ServerRowPatch, condition?: SQL) {
    // Drizzle refuses an empty change; an id set to itself is one that changes nothing.
    return on
      .update(servers)
      .set({ id, ...patch })
      .where(and(eq(servers.id, id), condition))
      .returning();
  }

  async function rejump(id: number, jump_via_id: number, patch: ServerRowPatch) {
    const acyclic = sql`not ${leadsTo(servers, jump_via_id, id)}`;
    // Of two changes at once that only together close a circle, neither would see the other one.
    const changed = alone('jump', (locked) => change(locked, id, patch, acyclic));
    const [row] = await orFault('jump_host_unknown', changed);
    if (row) return row;
    const [refused] = await db.select({ id: servers.id }).from(servers).where(eq(servers.id, id));
    if (refused) throw new Fault('jump_cycle');
    return undefined;
  }

  return {
    async insert(row) {
      const rows = await orFault('jump_host_unknown', db.insert(servers).values(row).returning());
      return onlyRow(rows);
    },

    async update(id, patch) {
      const { jump_via_id } = patch;
      if (typeof jump_via_id === 'number') return await rejump(id, jump_via_id, patch);
      const [row] = await change(db, id, patch);
      return row;
    },

    async remove(id) {
      const statement = db.delete(servers).where(eq(servers.id, id)).returning({ id: servers.id });
      const removed = await orFault('jump_host_in_use', statement);
      return removed.length > 0;
    },

    async touchConnected(id, last_connected_at) {
      await db.update(servers).set({ last_connected_at }).where(eq(servers.id, id));
    },
  };
}

/** Whether the way through `from` and its own jump hosts passes `to`; `union` ends also where the rows hold a circle. */
function leadsTo(servers: Tables['servers'], from: number, to: number): SQL {
  return sql`exists (
    with recursive hops (id) as (
      select id from ${servers} as first where first.id = ${from}
      union
      select hop.jump_via_id from ${servers} as hop join hops on hop.id = hops.id where hop.jump_via_id is not null
    )
    select 1 from hops where hops.id = ${to}
  )`;
}

// The databases disagree on case and order outside ASCII, so both are decided here; no list is paged.
function matches(row: ServerRow, { search = '', tag }: ServerFilter): boolean {
  if (tag !== undefined && !row.tags.includes(tag)) return false;
  const sought = search.toLowerCase();
  return [row.name, row.hostname, row.description].some((text) => text.toLowerCase().includes(sought));
}

function byName(a: ServerRow, b: ServerRow): number {
  return alphabetical(a.name, b.name) || a.id - b.id;
}
