import { and, eq, inArray, ne } from 'drizzle-orm';
import { Fault, type FaultCode } from '#core/errors.ts';
import type { ServerFilter, ServerRow } from '#core/model/server.ts';
import type { ServerRepository, VisibleGroups } from '#core/ports/repositories.ts';
import { isForeignKeyViolation, withoutValues } from '../driver-errors.ts';
import type { Store } from '../store.ts';
import { createHostKeys } from './host-keys.ts';
import { onlyRow } from './rows.ts';

export function createServerRepository(store: Store): ServerRepository {
  return { ...createReading(store), ...createWriting(store), ...createHostKeys(store) };
}

type Reading = Pick<ServerRepository, 'list' | 'byId' | 'groups' | 'jumpingVia'>;
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

function createWriting({ db, tables: { servers } }: Store): Writing {
  return {
    async insert(row) {
      const rows = await orFault('jump_host_unknown', db.insert(servers).values(row).returning());
      return onlyRow(rows);
    },

    async update(id, patch) {
      // Drizzle refuses an empty change; an id set to itself is one that changes nothing.
      const change = { id, ...patch };
      const statement = db.update(servers).set(change).where(eq(servers.id, id)).returning();
      const [row] = await orFault('jump_host_unknown', statement);
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

// The databases disagree on case and order outside ASCII, so both are decided here; no list is paged.
function matches(row: ServerRow, { search = '', tag }: ServerFilter): boolean {
  if (tag !== undefined && !row.tags.includes(tag)) return false;
  const sought = search.toLowerCase();
  return [row.name, row.hostname, row.description].some((text) => text.toLowerCase().includes(sought));
}

function byName(a: ServerRow, b: ServerRow): number {
  return alphabetical(a.name, b.name) || a.id - b.id;
}

function alphabetical(a: string, b: string): number {
  return compare(a.toLowerCase(), b.toLowerCase()) || compare(a, b);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The only foreign key of a server is its jump host. */
async function orFault<Rows>(code: FaultCode, statement: PromiseLike<Rows>): Promise<Rows> {
  try {
    return await statement;
  } catch (cause) {
    throw isForeignKeyViolation(cause) ? new Fault(code, undefined, { cause: withoutValues(cause) }) : cause;
  }
}
