import { getTableColumns, getTableName, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { migrate } from '#db/migrate/apply.ts';
import { introspect } from '#db/migrate/introspect.ts';
import { planChanges } from '#db/migrate/plan.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import {
  insertRows,
  makeReleased,
  type OldTable,
  readRows,
  VERSIONS,
} from '../../support/databases/released.ts';
import {
  AT,
  auditRow,
  chainRow,
  importedRow,
  LATER,
  LIMITS,
  recordingRow,
  serverRow,
  sessionRow,
  statusRow,
  ticketRow,
} from '../../support/databases/rows.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';

/** A server as the first version writes it, even when this version's columns are there. */
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

/** A database of the first version, with two servers and a signed-in user. */
async function makeOld(store: Store): Promise<void> {
  await makeReleased(store, '0.1.0');
  const yes = sql.raw(store.dialect === 'sqlite' ? '1' : 'true');
  const no = sql.raw(store.dialect === 'sqlite' ? '0' : 'false');
  await store.batch(() => [
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

/** Non-default values for columns that the version did not know. */
async function newValues({ db, tables }: Store, name: string, known: OldTable['columns']): Promise<string[]> {
  const table = Object.values(tables).find((one) => getTableName(one) === name);
  if (!table) throw new Error(`No table ${name}`);
  const added = Object.entries(getTableColumns(table)).filter(
    ([column]) => !known.some((one) => one.name === column),
  );
  const rows: Record<string, unknown>[] = await db.select().from(table);
  return added.flatMap(([column, spec]) =>
    rows
      .filter((row) => JSON.stringify(row[column]) !== JSON.stringify(spec.default ?? null))
      .map((row) => `${name}.${column} = ${row[column]}`),
  );
}

async function warningsOf(store: Store): Promise<object[]> {
  const warnings: object[] = [];
  await migrate(store, { ...silent, warn: (fields) => warnings.push(fields) });
  return warnings;
}

describeEachStore('a database of an older version', (fresh) => {
  async function upgraded() {
    const store = await fresh.open();
    await makeOld(store);
    expect(await warningsOf(store)).toEqual([]);
    return { store, ...createRepositories(store) };
  }

  it('keeps its rows', async () => {
    const { store, users, web_sessions, tickets, servers } = await upgraded();
    const admin = await users.byName('ADMIN');
    expect(admin).toMatchObject({ id: 1, is_default_admin: true, disabled: false, allowed_groups: ['web'] });
    const session = { ...sessionRow(1), fresh_until: null }; // an older version started it
    expect(await web_sessions.active('session', AT)).toEqual({ session, user: admin });
    expect(await tickets.take('digest', AT)).toEqual(ticketRow());
    expect(await servers.list()).toEqual([oldServer(1, null), oldServer(2, 1)]);
    const again = { ...store, batch: () => Promise.reject(new Error('written to')) };
    expect(await warningsOf(again)).toEqual([]);
  });

  it('supports every feature of this version', async () => {
    const { second_factors, servers, server_statuses, monitor_lease, recordings } = await upgraded();
    expect(await second_factors.begin(1, 'sealed')).toBe(true);
    const announced_host_keys = [{ host_key: 'BBBB', fingerprint: 'SHA256:bbbb' }];
    const change = { algorithms: 'legacy', record_sessions: true, announced_host_keys } as const;
    expect(await servers.update(2, change, LIMITS)).toEqual({ ...oldServer(2, 1), ...change });
    const [imported] = await servers.insertAll([importedRow({ jump_via_id: 2 })]);
    expect(imported).toEqual({ id: 3, ...serverRow({ jump_via_id: 2 }) });
    expect((await server_statuses.unchecked()).sort()).toEqual([1, 2, 3]);
    await server_statuses.save([statusRow(1)]);
    expect(await server_statuses.byServer(1)).toEqual(statusRow(1));
    const lease = { run_id: 'run', instance_id: 'instance', ttl_ms: 90_000 };
    expect(await monitor_lease.hold(lease)).toMatchObject({ is_ours: true });
    expect(await recordings.insert(recordingRow({ server_id: 3 }))).toMatchObject({ id: 1, server_id: 3 });
  });

  it('reads what an older version writes at the same time', async () => {
    const { store, servers } = await upgraded();
    await store.batch(() => [insertServer(store, 2)]);
    expect(await servers.byId(3)).toEqual(oldServer(3, 2));
  });

  it.each(VERSIONS)(
    'keeps the rows of every table, fills new columns, and still supports %s',
    async (version) => {
      const store = await fresh.open();
      const tables = await makeReleased(store, version);
      await insertRows(store, tables, 1);
      await insertRows(store, tables, 2);
      const { schema_migrations: _before, ...before } = await readRows(store, tables);
      expect(await warningsOf(store)).toEqual([]);
      const { schema_migrations: _after, ...after } = await readRows(store, tables);
      expect(after).toEqual(before);
      for (const { name, columns } of tables) expect(await newValues(store, name, columns)).toEqual([]);
      const again = { ...store, batch: () => Promise.reject(new Error('written to')) };
      expect(await warningsOf(again)).toEqual([]);
      // The older gateway again: it changes nothing at boot, and reads and writes as before.
      expect(planChanges(tables, await introspect(store))).toEqual([]);
      await insertRows(store, tables, 3);
      const { schema_migrations: _last, ...last } = await readRows(store, tables);
      expect(Object.values(last).map(({ length }) => length)).toEqual(Object.values(last).map(() => 3));
      expect(await createRepositories(store).servers.list()).toHaveLength(3);
    },
  );

  it('finds entries that are older than the search index', async () => {
    const store = await fresh.migrated();
    const { audit } = createRepositories(store);
    await audit.openChain(chainRow(), { chains: 1, signature: '' });
    if (fresh.dialect === 'sqlite') await store.batch(() => [sql`drop trigger audit_search`]);
    for (let seq = 0; seq < 6_000; seq += 500) {
      const entries = Array.from({ length: 500 }, (_, i) =>
        auditRow({ seq: seq + i + 1, detail: `before ${seq + i}` }),
      );
      await audit.append(entries, chainRow({ entries: seq + 500 }));
    }
    await migrate(store, silent);
    await audit.append([auditRow({ seq: 6_001, detail: 'before or after' })], chainRow());
    const found = await audit.page({ search: 'before 4321' }, { limit: 9, offset: 0 });
    expect(found.map(({ id }) => id)).toEqual([4_322]);
    expect(await audit.count({ search: 'before or' })).toEqual({ total: 1, exact: true });
    const recorded = await store.db.select().from(store.tables.schema_migrations);
    const made = recorded.filter(({ change }) => change === 'create index audit_search');
    expect(made).toHaveLength(fresh.dialect === 'sqlite' ? 2 : 0);
  });
});
