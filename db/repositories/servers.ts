import { and, eq, inArray, ne } from 'drizzle-orm';
import type { ServerFilter, ServerRow } from '#core/model/server.ts';
import type { ServerRepository } from '#core/ports/repositories.ts';
import type { Store } from '../store.ts';
import { alphabetical } from './alphabetical.ts';
import { forChunks } from './chunks.ts';
import { createHostKeys } from './host-keys.ts';
import { createJumpHosts } from './jump-hosts.ts';
import { orFault } from './or-fault.ts';
import { onlyRow } from './rows.ts';
import { serverColumns, withinGroups } from './server-columns.ts';
import { createServerImports } from './server-imports.ts';

export function createServerRepository(store: Store): ServerRepository {
  return {
    ...createReading(store),
    ...createWriting(store),
    ...createServerImports(store),
    ...createJumpHosts(store),
    ...createHostKeys(store),
  };
}

type Reading = Pick<ServerRepository, 'list' | 'byId' | 'byIds' | 'groups' | 'jumpingVia'>;
type Writing = Pick<ServerRepository, 'insert' | 'remove' | 'touchConnected'>;

function createReading({ db, tables: { servers } }: Store): Reading {
  const columns = serverColumns(servers);

  return {
    async list(visible, filter) {
      const inGroup = filter.group === undefined ? undefined : eq(servers.group, filter.group);
      const rows = await db
        .select(columns)
        .from(servers)
        .where(and(withinGroups(servers, visible), inGroup));
      return rows.filter((row) => matches(row, filter)).sort(byName);
    },

    async byId(id) {
      const [row] = await db.select(columns).from(servers).where(eq(servers.id, id));
      return row;
    },

    byIds: (ids) =>
      forChunks(ids, (part) => db.select(columns).from(servers).where(inArray(servers.id, part))),

    async groups(visible) {
      const named = and(withinGroups(servers, visible), ne(servers.group, ''));
      const rows = await db.selectDistinct({ group: servers.group }).from(servers).where(named);
      return rows.map(({ group }) => group).sort(alphabetical);
    },

    async jumpingVia(id) {
      const rows = await db.select(columns).from(servers).where(eq(servers.jump_via_id, id));
      return rows.sort(byName);
    },
  };
}

// A server has one foreign key, its jump host.
function createWriting({ db, tables: { servers } }: Store): Writing {
  return {
    async insert(row) {
      const statement = db.insert(servers).values(row).returning(serverColumns(servers));
      return onlyRow(await orFault('jump_host_unknown', statement));
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

// The databases disagree on case and order outside ASCII, so both are decided here; no list is paged.
function matches(row: ServerRow, { search = '', tag }: ServerFilter): boolean {
  if (tag !== undefined && !row.tags.includes(tag)) return false;
  const sought = search.toLowerCase();
  return [row.name, row.hostname, row.description].some((text) => text.toLowerCase().includes(sought));
}

function byName(a: ServerRow, b: ServerRow): number {
  return alphabetical(a.name, b.name) || a.id - b.id;
}
