import { and, asc, type Column, eq, gt, not, type SQL, sql } from 'drizzle-orm';
import type { SealedPlace, SealedRepository } from '#core/ports/repositories/operations.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

interface Place {
  readonly table: Tables[
    | 'users'
    | 'servers'
    | 'webhooks'
    | 'part_removals'
    | 'agent_settings'
    | 'agent_messages'];
  readonly id: Column;
  readonly column: Column;
}

function placesOf(tables: Tables): Record<SealedPlace, Place> {
  const { users, servers, webhooks, part_removals: removals, agent_settings, agent_messages } = tables;
  const ofServer = (column: Column) => ({ table: servers, id: servers.id, column });
  const ofWebhook = (column: Column) => ({ table: webhooks, id: webhooks.id, column });
  return {
    'users.totp_secret': { table: users, id: users.id, column: users.totp_secret_sealed },
    'servers.password': ofServer(servers.password_sealed),
    'servers.private_key': ofServer(servers.private_key_sealed),
    'servers.passphrase': ofServer(servers.passphrase_sealed),
    'webhooks.secret': ofWebhook(webhooks.secret_sealed),
    'webhooks.previous_secret': ofWebhook(webhooks.previous_secret_sealed),
    'part_removals.connection': {
      table: removals,
      id: removals.server_id,
      column: removals.connection_sealed,
    },
    'agent_settings.config': {
      table: agent_settings,
      id: agent_settings.id,
      column: agent_settings.config_sealed,
    },
    'agent_messages.content': {
      table: agent_messages,
      id: agent_messages.id,
      column: agent_messages.content_sealed,
    },
  };
}

export function createSealedRepository({ db, batch, tables }: Store): SealedRepository {
  const places = placesOf(tables);
  const { server_statuses: statuses } = tables;

  return {
    async foreign(place, prefix, after_id, limit) {
      const { table, id, column } = places[place];
      const rows = await db
        .select({ id: sql<number>`${id}`, sealed: sql<string>`${column}` })
        .from(table)
        .where(and(gt(id, after_id), not(startsWith(column, prefix))))
        .orderBy(asc(id))
        .limit(limit);
      return rows.map((row) => ({ ...row, place }));
    },

    async replace({ place, id: row_id, sealed }, anew) {
      const { table, id, column } = places[place];
      const here = and(eq(id, row_id), eq(column, sealed));
      // Refused credentials are identified by nonce; resealing one must not make it look new.
      const [was, is] = [sealed, anew].map((text) => text.split(':')[2] ?? '');
      const refused = sql`update ${statuses} set refused_as = replace(refused_as, ${was}, ${is})
        where server_id = ${row_id} and exists (select 1 from ${table} where ${here})`;
      await batch(() => [
        ...(place.startsWith('servers.') ? [refused] : []),
        sql`update ${table} set ${sql.identifier(column.name)} = ${anew} where ${here}`,
      ]);
    },
  };
}

/** Not `like`, for which a key id may contain a wildcard. */
function startsWith(column: Column, prefix: string): SQL {
  return sql`substr(${column}, 1, ${prefix.length}) = ${prefix}`;
}
