import { and, eq, type SQL, sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import type { ServerRepository, ServerRowPatch } from '#core/ports/repositories/hosts.ts';
import { orFault } from '../../query/or-fault.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Db, Store } from '../../store.ts';
import { isAsChecked } from './checked-server.ts';
import { serverColumns } from './server-columns.ts';

type Servers = Tables['servers'];

/** Updates a server, which may change its jump host. */
export function createJumpHosts({ db, alone, tables: { servers } }: Store): Pick<ServerRepository, 'update'> {
  async function change(on: Db, id: number, patch: ServerRowPatch, condition?: SQL) {
    // Drizzle rejects an empty update, so the id is set to itself.
    const changed = on.update(servers).set({ id, ...patch });
    const [row] = await changed.where(and(eq(servers.id, id), condition)).returning(serverColumns(servers));
    return row;
  }

  /** Explains why nothing changed; returns if the server does not exist. */
  async function assertGone(id: number, is_same: SQL | undefined, is_cycle: SQL<boolean>): Promise<void> {
    const columns = { is_same: sql`${is_same ?? sql`true`}`.mapWith(Boolean), is_cycle };
    const [row] = await db.select(columns).from(servers).where(eq(servers.id, id));
    if (row && !row.is_same) throw new Fault('server_changed');
    if (row) throw new Fault(row.is_cycle ? 'jump_cycle' : 'jump_too_deep');
  }

  async function exists(id: number): Promise<boolean> {
    const rows = await db.select({ id: servers.id }).from(servers).where(eq(servers.id, id));
    return rows.length > 0;
  }

  return {
    async update(id, patch, { most_hops, checked }) {
      const { jump_via_id } = patch;
      const is_same = checked && isAsChecked(servers, id, checked);
      if (typeof jump_via_id !== 'number') {
        const row = await change(db, id, patch, is_same);
        if (!row && (await exists(id))) throw new Fault('server_changed');
        return row;
      }
      const is_cycle = leadsTo(servers, jump_via_id, id);
      const hops = sql`${hopsAbove(servers, jump_via_id, most_hops)} + ${hopsBelow(servers, id, most_hops)}`;
      const allowed = sql`not ${is_cycle} and ${hops} <= ${most_hops}`;
      // Locked, because two concurrent changes could together form a cycle or a chain that is too long.
      const changed = alone('jump', (locked) => change(locked, id, patch, and(is_same, allowed)));
      const row = await orFault('jump_host_unknown', changed); // the only foreign key
      if (!row) await assertGone(id, is_same, is_cycle);
      return row;
    },
  };
}

/** Whether the chain from `from` passes `to`; `union` terminates even if the rows contain a cycle. */
function leadsTo(servers: Servers, from: number, to: number): SQL<boolean> {
  return sql`exists (
    with recursive hops (id) as (
      select id from ${servers} as first where first.id = ${from}
      union
      select hop.jump_via_id from ${servers} as hop join hops on hop.id = hops.id where hop.jump_via_id is not null
    )
    select 1 from hops where hops.id = ${to}
  )`.mapWith(Boolean);
}

/** The number of hops from `from` on, counted up to one over the limit. */
function hopsAbove(servers: Servers, from: number, most: number): SQL {
  return sql`(
    with recursive way (id, hops) as (
      select id, 1 from ${servers} as first where first.id = ${from}
      union all
      select hop.jump_via_id, way.hops + 1 from ${servers} as hop join way on hop.id = way.id
      where hop.jump_via_id is not null and way.hops <= ${most}
    )
    select coalesce(max(way.hops), 0) from way
  )`;
}

/** The longest chain of servers behind this one; the change breaks any cycle that it is part of. */
function hopsBelow(servers: Servers, id: number, most: number): SQL {
  return sql`(
    with recursive tree (id, hops) as (
      select id, 0 from ${servers} as root where root.id = ${id}
      union all
      select behind.id, tree.hops + 1 from ${servers} as behind join tree on behind.jump_via_id = tree.id
      where behind.id <> ${id} and tree.hops <= ${most}
    )
    select coalesce(max(tree.hops), 0) from tree
  )`;
}
