import { and, eq, isNull, sql } from 'drizzle-orm';
import type { HostKeyPin, ServerRepository } from '#core/ports/repositories.ts';
import type { Store } from '../store.ts';

export function createHostKeys({
  db,
  tables: { servers },
}: Store): Pick<ServerRepository, 'pinHostKey' | 'clearHostKey'> {
  return {
    async pinHostKey(pin) {
      const [row] = await db
        .update(servers)
        .set(pinIfFree(pin))
        .where(eq(servers.id, pin.server_id))
        .returning({ host_key: servers.host_key });
      return row?.host_key ?? null;
    },

    async clearHostKey(id) {
      await db.update(servers).set({ host_key: null, host_key_fingerprint: '' }).where(eq(servers.id, id));
    },
  };

  /** One statement decides and answers, so of two at once the second is told the first one's pin. */
  function pinIfFree({ hostname, port, host_key, fingerprint }: HostKeyPin) {
    const { host_key: pinned, host_key_fingerprint } = servers;
    const free = and(isNull(pinned), eq(servers.hostname, hostname), eq(servers.port, port));
    return {
      host_key: sql`case when ${free} then ${host_key} else ${pinned} end`,
      host_key_fingerprint: sql`case when ${free} then ${fingerprint} else ${host_key_fingerprint} end`,
    };
  }
}
