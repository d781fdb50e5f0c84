import { and, eq, isNull, sql } from 'drizzle-orm';
import type { HostKeyPin, ServerRepository } from '#core/ports/repositories/hosts.ts';
import type { Store } from '../../store.ts';
import { isAsChecked } from './checked-server.ts';

const NOT_CONNECTED = { key_exchange: null, server_version: null };

type HostKeys = Pick<ServerRepository, 'pinHostKey' | 'clearHostKey' | 'replaceHostKeys'>;

export function createHostKeys({ db, tables: { servers } }: Store): HostKeys {
  /** A single statement decides and returns the pin, so of two concurrent calls the second sees the first one's. */
  function pinIfFree({ hostname, port, host_key, fingerprint }: HostKeyPin) {
    const { host_key: pinned, host_key_fingerprint, announced_host_keys } = servers;
    const free = and(isNull(pinned), ...isAt({ hostname, port }));
    const none = sql.param([], announced_host_keys);
    return {
      host_key: sql`case when ${free} then ${host_key} else ${pinned} end`,
      host_key_fingerprint: sql`case when ${free} then ${fingerprint} else ${host_key_fingerprint} end`,
      announced_host_keys: sql`case when ${free} then ${none} else ${announced_host_keys} end`,
    };
  }

  /** A key belongs to an address, and the server may have been moved since. */
  function isAt({ hostname, port }: Pick<HostKeyPin, 'hostname' | 'port'>) {
    return [eq(servers.hostname, hostname), eq(servers.port, port)];
  }

  return {
    async pinHostKey(pin) {
      const [row] = await db
        .update(servers)
        .set(pinIfFree(pin))
        .where(eq(servers.id, pin.server_id))
        .returning({ host_key: servers.host_key });
      return row?.host_key ?? null;
    },

    async clearHostKey(id, at, checked) {
      const nothing = { host_key: null, host_key_fingerprint: '', announced_host_keys: [], ...NOT_CONNECTED };
      const cleared = await db
        .update(servers)
        .set({ ...nothing, updated_at: at })
        .where(and(eq(servers.id, id), isAsChecked(servers, id, checked)))
        .returning({ id: servers.id });
      return cleared.length > 0;
    },

    async replaceHostKeys({ server_id, hostname, port, instead_of, fingerprint, at, checked, ...keys }) {
      const pinned = servers.host_key;
      const is_still = and(
        instead_of === null ? isNull(pinned) : eq(pinned, instead_of),
        checked && isAsChecked(servers, server_id, checked),
      );
      const replaced = await db
        .update(servers)
        .set({
          host_key_fingerprint: fingerprint,
          ...keys,
          ...(at !== undefined && { ...NOT_CONNECTED, updated_at: at }),
        })
        .where(and(eq(servers.id, server_id), ...isAt({ hostname, port }), is_still))
        .returning({ id: servers.id });
      return replaced.length > 0;
    },
  };
}
