import { eq, getTableColumns, gt, isNull, sql } from 'drizzle-orm';
import { type ServerStatusRow, uncheckedRow } from '#core/model/hosts/server-status.ts';
import type { ServerStatusRepository } from '#core/ports/repositories/monitor.ts';
import type { FiredEvent } from '#core/ports/repositories/webhooks.ts';
import { inChunks } from '../../query/chunks.ts';
import { fieldList, rowSource } from '../../query/row-source.ts';
import type { Db, Store } from '../../store.ts';
import { withinGroups } from '../hosts/server-columns.ts';
import { delivering, type Fired, toFired } from '../webhooks/outbox.ts';

export function createServerStatusRepository(store: Store): ServerStatusRepository {
  return { ...createReading(store), ...createWriting(store) };
}

type Reading = Omit<ServerStatusRepository, 'save'>;
type Writing = Pick<ServerStatusRepository, 'save'>;

function createReading({ db, tables }: Store): Reading {
  const { servers, server_statuses: statuses, server_status_head: head } = tables;
  const { revision: _revision, ...columns } = getTableColumns(statuses);
  const ofServer = eq(servers.id, statuses.server_id);

  return {
    async list(visible) {
      const found = await db
        .select({ id: servers.id, group: servers.group, status: columns })
        .from(servers)
        .leftJoin(statuses, ofServer)
        .where(withinGroups(servers, visible));
      return found.map(({ id, group, status }) => ({ ...(status ?? uncheckedRow(id)), group }));
    },

    async byServer(server_id) {
      const [row] = await db.select(columns).from(statuses).where(eq(statuses.server_id, server_id));
      return row;
    },

    async since(revision) {
      // In one statement, so that no row is stored between the two results.
      const found = await db
        .select({ last: head.revision, status: columns, group: servers.group })
        .from(head)
        .leftJoin(statuses, gt(statuses.revision, revision))
        .leftJoin(servers, ofServer);
      const rows = found.flatMap(({ status, group }) =>
        status === null || group === null ? [] : [{ ...status, group }],
      );
      return { revision: found[0]?.last ?? 0, rows };
    },

    async unchecked() {
      const rows = await db
        .select({ id: servers.id })
        .from(servers)
        .leftJoin(statuses, ofServer)
        .where(isNull(statuses.last_checked)); // also without a row
      return rows.map(({ id }) => id);
    },
  };
}

function createWriting(store: Store): Writing {
  const { batch, dialect, tables } = store;
  const { servers, server_statuses: statuses, server_status_head: head } = tables;
  const { revision: _revision, ...columns } = getTableColumns(statuses);
  const names = Object.keys(columns).map((name) => sql.identifier(name));
  const found = names.map((name) => sql`found.${name}`);
  // The previous and the current monitor may check a server at the same time, but only one reports a change.
  const told_offline = sql`case excluded.status when 'online' then false
    when 'unchecked' then ${statuses.told_offline} else ${statuses.told_offline} or excluded.told_offline end`;
  const changed = Object.keys(columns).map((name) => {
    const changed_to = name === 'told_offline' ? told_offline : sql`excluded.${sql.identifier(name)}`;
    return sql`${sql.identifier(name)} = ${changed_to}`;
  });
  const news = {
    join: sql`join ${servers} on ${servers.id} = cast(fired.ref as integer)`,
    where: sql`(fired.event = 'server_online') = exists (
      select 1 from ${statuses} where ${statuses.server_id} = ${servers.id} and ${statuses.told_offline})`,
  };
  // A locked server cannot be removed until the transaction ends; SQLite has only one writer anyway.
  const locked = sql.raw(dialect === 'postgres' ? 'for key share of servers' : '');

  // Its row stays locked until the transaction ends, so revisions become visible in order.
  const nextRevision = (on: Db) =>
    on
      .insert(head)
      .values({ id: 1, revision: 1 })
      .onConflictDoUpdate({ target: head.id, set: { revision: sql`${head.revision} + 1` } });

  const upsert = (rows: readonly ServerStatusRow[]) => sql`
    with found as (${rowSource(dialect, columns, rows)})
    insert into ${statuses} (${fieldList(columns)}, revision)
    select ${sql.join(found, sql`, `)}, (select ${head.revision} from ${head})
    from found join ${servers} on ${servers.id} = found.server_id where true ${locked}
    on conflict (server_id) do update set ${sql.join(changed, sql`, `)}, revision = excluded.revision`;

  return {
    async save(rows, events = []) {
      const last = new Map(rows.map((row) => [row.server_id, row])); // a statement may update each row only once
      if (last.size === 0) return;
      const parts = inChunks([...last.values()]).map(upsert);
      const told = delivering(store, events.flatMap(aboutServer), news);
      await batch((on) => [nextRevision(on), ...told, ...parts]);
    },
  };
}

function aboutServer(fired: FiredEvent): Fired[] {
  const { data } = fired.event;
  return 'server_id' in data ? [{ ...toFired(fired), ref: String(data.server_id) }] : [];
}
