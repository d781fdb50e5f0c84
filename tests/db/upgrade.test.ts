import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { migrate } from '#db/migrate/apply.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { describeEachStore, silent } from '../support/stores.ts';
import { AT, auditRow, chainRow, LATER, sessionRow, ticketRow } from './rows.ts';

const NEW_COLUMNS = ['totp_secret_sealed', 'totp_last_step', 'recovery_digests', 'directory_id'];

/** A database as 0.1.0 left it, with somebody signed in. */
async function makeOld(store: Store): Promise<void> {
  const { schema_migrations, rate_limits, users, sessions, tickets, servers } = store.tables;
  const tables = { schema_migrations, rate_limits, users, sessions, tickets, servers };
  await migrate({ ...store, tables }, silent);
  const yes = sql.raw(store.dialect === 'sqlite' ? '1' : 'true');
  const no = sql.raw(store.dialect === 'sqlite' ? '0' : 'false');
  await store.batch(() => [
    sql`drop index users_directory_id`,
    ...NEW_COLUMNS.map((column) => sql.raw(`alter table users drop column ${column}`)),
    sql`insert into users (id, username, username_key, is_default_admin, is_admin, must_change_password, totp_enabled,
      allowed_groups, source, password_hash, disabled, created_at)
      values (1, 'admin', 'admin', ${yes}, ${yes}, ${no}, ${no}, '["web"]', 'local', 'hash', ${no}, ${AT})`,
    sql`insert into sessions (id, user_id, created_at, last_seen_at, expires_at, ip_address, user_agent)
      values ('session', 1, ${AT}, ${AT}, ${LATER}, '192.0.2.1', 'Browser')`,
    sql`insert into tickets (digest, purpose, session_id, server_id, path, expires_at)
      values ('digest', 'file', 'session', 7, '/srv/a b', ${LATER})`,
  ]);
}

describeEachStore('a database of 0.1.0', (fresh) => {
  it('keeps its rows, and serves all of this version', async () => {
    const store = await fresh.open();
    await makeOld(store);
    const warnings: object[] = [];
    await migrate(store, { ...silent, warn: (fields) => warnings.push(fields) });
    expect(warnings).toEqual([]);
    const { users, second_factors, web_sessions, tickets } = createRepositories(store);
    const admin = await users.byName('ADMIN');
    expect(admin).toMatchObject({ id: 1, is_default_admin: true, disabled: false, allowed_groups: ['web'] });
    expect(await web_sessions.active('session', AT)).toEqual({ session: sessionRow(1), user: admin });
    expect(await tickets.take('digest', AT)).toEqual(ticketRow());
    expect(await second_factors.begin(1, 'sealed')).toBe(true);
    const again = { ...store, batch: () => Promise.reject(new Error('written to')) };
    await migrate(again, { ...silent, warn: (fields) => warnings.push(fields) });
    expect(warnings).toEqual([]);
  });

  it('finds entries that were written before the search index was added', async () => {
    const store = await fresh.migrated();
    const { audit } = createRepositories(store);
    await audit.openChain(chainRow(), { chains: 1, signature: '' });
    if (fresh.dialect === 'sqlite') await store.batch(() => [sql`drop trigger audit_search`]);
    const entries = Array.from({ length: 6_000 }, (_, i) => auditRow({ seq: i + 1, detail: `before ${i}` }));
    await audit.append(entries, chainRow({ entries: 6_000 }));
    await migrate(store, silent);
    await audit.append([auditRow({ seq: 6_001, detail: 'before or after' })], chainRow());
    const found = await audit.page({ search: 'before 4321' }, { limit: 9, offset: 0 });
    expect(found.map(({ id }) => id)).toEqual([4_322]);
    expect(await audit.count({ search: 'before or' })).toEqual({ total: 1, exact: true });
    const recorded = await store.db.select().from(store.tables.schema_migrations);
    expect(recorded.at(-1)?.change).toBe(
      fresh.dialect === 'sqlite' ? 'create index audit_search' : 'create index audit_entries_username_action',
    );
  });
});
