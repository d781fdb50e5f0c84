import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { migrate } from '#db/migrate/apply.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { describeEachStore, silent } from '../support/stores.ts';
import {
  AT,
  auditRow,
  chainRow,
  importedRow,
  LATER,
  MOST_HOPS,
  recordingRow,
  serverRow,
  sessionRow,
  statusRow,
  ticketRow,
} from './rows.ts';

type Version = '0.1.0' | '0.2.0';

const COLUMNS_SINCE = {
  '0.1.0': { users: ['totp_secret_sealed', 'totp_last_step', 'recovery_digests', 'directory_id'] },
  '0.2.0': {
    servers: ['algorithms', 'record_sessions', 'agent_enabled', 'announced_host_keys', 'import_ref'],
  },
};

function oldTables({ tables }: Store, version: Version) {
  const { instances, terminal_sessions, quick_host_keys, recordings, snippets, ...of_0_4_0 } = tables;
  const { monitor_lease, server_statuses, server_status_head, uploads, holds, ...of_0_2_0 } = of_0_4_0;
  if (version === '0.2.0') return of_0_2_0;
  const {
    pending_sign_ins,
    api_keys,
    lockouts,
    api_key_tickets,
    audit_chains,
    audit_roll,
    audit_entries,
    ...rest
  } = of_0_2_0;
  return rest;
}

function dropping(columns: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(columns).flatMap(([table, names]) =>
    names.map((name) => sql.raw(`alter table ${table} drop column ${name}`)),
  );
}

/** A server as all versions until 0.2.0 write it, also once the columns of this one are there. */
function insertServer(store: Store, jump_via_id: number | null) {
  const yes = sql.raw(store.dialect === 'sqlite' ? '1' : 'true');
  return sql`insert into servers (name, hostname, port, username, auth_method, "group", tags, description,
    jump_via_id, ssh_enabled, sftp_enabled, sftp_read_only, sftp_allowed_paths, password_sealed, host_key,
    host_key_fingerprint, created_at, updated_at)
    values ('alpha', 'alpha.test', 22, 'root', 'password', 'web', '["linux"]', '', ${jump_via_id}, ${yes}, ${yes},
    ${yes}, '["/srv"]', 'sealed', 'AAAA', 'SHA256:aaaa', ${AT}, ${AT})`;
}

const oldServer = (id: number, jump_via_id: number | null) => ({
  id,
  ...serverRow({ jump_via_id, sftp_read_only: true, host_key: 'AAAA', host_key_fingerprint: 'SHA256:aaaa' }),
});

/** A database as that version left it, with two servers and somebody signed in. */
async function makeOld(store: Store, version: Version): Promise<void> {
  await migrate({ ...store, tables: oldTables(store, version) }, silent);
  const yes = sql.raw(store.dialect === 'sqlite' ? '1' : 'true');
  const no = sql.raw(store.dialect === 'sqlite' ? '0' : 'false');
  await store.batch(() => [
    sql`drop index servers_import_ref`,
    ...dropping(COLUMNS_SINCE['0.2.0']),
    ...(version === '0.1.0' ? [sql`drop index users_directory_id`, ...dropping(COLUMNS_SINCE['0.1.0'])] : []),
    sql`insert into users (id, username, username_key, is_default_admin, is_admin, must_change_password, totp_enabled,
      allowed_groups, source, password_hash, disabled, created_at)
      values (1, 'admin', 'admin', ${yes}, ${yes}, ${no}, ${no}, '["web"]', 'local', 'hash', ${no}, ${AT})`,
    sql`insert into sessions (id, user_id, created_at, last_seen_at, expires_at, ip_address, user_agent)
      values ('session', 1, ${AT}, ${AT}, ${LATER}, '192.0.2.1', 'Browser')`,
    sql`insert into tickets (digest, purpose, session_id, server_id, path, expires_at)
      values ('digest', 'file', 'session', 7, '/srv/a b', ${LATER})`,
    insertServer(store, null),
    insertServer(store, 1),
  ]);
}

async function warningsOf(store: Store): Promise<object[]> {
  const warnings: object[] = [];
  await migrate(store, { ...silent, warn: (fields) => warnings.push(fields) });
  return warnings;
}

describeEachStore('a database of an older version', (fresh) => {
  async function upgraded(version: Version) {
    const store = await fresh.open();
    await makeOld(store, version);
    expect(await warningsOf(store)).toEqual([]);
    return { store, ...createRepositories(store) };
  }

  it.each<Version>(['0.1.0', '0.2.0'])('keeps its rows (%s)', async (version) => {
    const { store, users, web_sessions, tickets, servers } = await upgraded(version);
    const admin = await users.byName('ADMIN');
    expect(admin).toMatchObject({ id: 1, is_default_admin: true, disabled: false, allowed_groups: ['web'] });
    expect(await web_sessions.active('session', AT)).toEqual({ session: sessionRow(1), user: admin });
    expect(await tickets.take('digest', AT)).toEqual(ticketRow());
    expect(await servers.list('all', {})).toEqual([oldServer(1, null), oldServer(2, 1)]);
    const again = { ...store, batch: () => Promise.reject(new Error('written to')) };
    expect(await warningsOf(again)).toEqual([]);
  });

  it.each<Version>(['0.1.0', '0.2.0'])('serves all of this version (%s)', async (version) => {
    const { second_factors, servers, server_statuses, monitor_lease, recordings } = await upgraded(version);
    expect(await second_factors.begin(1, 'sealed')).toBe(true);
    const announced_host_keys = [{ host_key: 'BBBB', fingerprint: 'SHA256:bbbb' }];
    const change = { algorithms: 'legacy', record_sessions: true, announced_host_keys } as const;
    expect(await servers.update(2, change, MOST_HOPS)).toEqual({ ...oldServer(2, 1), ...change });
    const [imported] = await servers.insertAll([importedRow({ jump_via_id: 2 })]);
    expect(imported).toEqual({ id: 3, ...serverRow({ jump_via_id: 2 }) });
    expect((await server_statuses.unchecked()).sort()).toEqual([1, 2, 3]);
    await server_statuses.save([statusRow(1)]);
    expect(await server_statuses.byServer(1)).toEqual(statusRow(1));
    const lease = { run_id: 'run', instance_id: 'instance', ttl_ms: 90_000 };
    expect(await monitor_lease.hold(lease)).toMatchObject({ is_ours: true });
    expect(await recordings.insert(recordingRow({ server_id: 3 }))).toMatchObject({ id: 1, server_id: 3 });
  });

  it('reads what an older version writes meanwhile', async () => {
    const { store, servers } = await upgraded('0.2.0');
    await store.batch(() => [insertServer(store, 2)]);
    expect(await servers.byId(3)).toEqual(oldServer(3, 2));
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
