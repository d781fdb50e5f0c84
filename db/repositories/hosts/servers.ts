import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import { alphabetical } from '#core/lib/text/alphabetical.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { ServerRepository } from '#core/ports/repositories/hosts.ts';
import { forChunks, inChunks } from '../../query/chunks.ts';
import { orFault } from '../../query/or-fault.ts';
import { reserving } from '../../query/reserve-ids.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';
import { delivering, toFired } from '../webhooks/outbox.ts';
import { createHostKeys } from './host-keys.ts';
import { createServerImports } from './imports.ts';
import { createJumpHosts } from './jump-hosts.ts';
import { keepingParts } from './part-removals.ts';
import { serverColumns, withinGroups } from './server-columns.ts';

export function createServerRepository(store: Store): ServerRepository {
  const imports = createServerImports(store);
  return {
    reserveIds: reserving(store, 'servers'),
    ...createReading(store),
    ...createWriting(store, imports),
    ...imports,
    ...createJumpHosts(store),
    ...createHostKeys(store),
  };
}

type Reading = Pick<
  ServerRepository,
  'list' | 'mark' | 'versions' | 'byId' | 'byIds' | 'groups' | 'jumpingVia'
>;
type Writing = Pick<
  ServerRepository,
  'insert' | 'remove' | 'noteConnection' | 'markChanged' | 'touchConnected'
>;

function createReading({ db, server_versions, tables: { servers } }: Store): Reading {
  const columns = serverColumns(servers);

  return {
    async list() {
      const rows = await db.select(columns).from(servers);
      return rows.sort(byName);
    },

    mark: server_versions.mark,
    versions: server_versions.all,

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

// The only foreign key of a server is its jump host.
function createWriting(store: Store, { insertAll }: Pick<ServerRepository, 'insertAll'>): Writing {
  const { batchReturning, db, dialect, tables } = store;
  const { servers } = tables;
  // Only one of two concurrent removals emits the event.
  const lock = sql.raw(dialect === 'postgres' ? 'for update of servers' : '');

  return {
    async insert(row, event) {
      if (event) return onlyRow(await insertAll([{ ...row, jump_via_index: undefined }], () => event));
      const statement = db.insert(servers).values(row).returning(serverColumns(servers));
      return onlyRow(await orFault('jump_host_unknown', statement));
    },

    async remove(id, event, kept) {
      const join = sql`join ${servers} on ${servers.id} = ${id}`;
      const removal = batchReturning((on) => ({
        first: [
          ...(kept ? keepingParts(store, id, kept) : []),
          ...delivering(store, event ? [toFired(event)] : [], { join, lock }),
        ],
        last: on.delete(servers).where(eq(servers.id, id)).returning({ id: servers.id }),
      }));
      const removed = await orFault('jump_host_in_use', removal);
      return removed.length > 0;
    },

    async noteConnection({ id, updated_at }, { key_exchange, server_version }) {
      const { key_exchange: kex, server_version: version } = servers;
      const is_same = and(eq(kex, key_exchange), eq(version, server_version));
      await db
        .update(servers)
        .set({ key_exchange, server_version })
        .where(and(eq(servers.id, id), eq(servers.updated_at, updated_at), sql`(${is_same}) is not true`));
    },

    async markChanged(ids, updated_at) {
      for (const part of inChunks(ids))
        await db.update(servers).set({ updated_at }).where(inArray(servers.id, part));
    },

    async touchConnected(id, last_connected_at) {
      const touched = db.update(servers).set({ last_connected_at }).where(eq(servers.id, id));
      const [row] = await touched.returning(serverColumns(servers));
      return row;
    },
  };
}

function byName(a: ServerRow, b: ServerRow): number {
  return alphabetical(a.name, b.name) || a.id - b.id;
}
