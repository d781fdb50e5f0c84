import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { FiredEvent } from '#core/ports/repositories/webhooks.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import {
  AT,
  auditRow,
  chainRow,
  importedRow,
  LATER,
  serverRow,
  statusRow,
} from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { addWebhook, deliveriesTo, toldTo } from '../../support/features/deliveries.ts';

const LOGIN: FiredEvent = {
  event: { event: 'user_login', data: { username: 'ünï "o\'hara"', user_id: 1, ip: '192.0.2.1' } },
  fired_at: LATER,
};
const deleted = (id: number): FiredEvent => ({
  event: { event: 'server_deleted', data: { id, name: 'alpha', hostname: 'alpha.test', by: 'admin' } },
  fired_at: AT,
});
const added = { event: 'server_added', data: { name: 'alpha', hostname: 'h', by: 'admin' } } as const;
const about = (server_id: number) => ({ server_id, server: 'alpha', hostname: 'alpha.test' });
const offline = (id: number): FiredEvent => ({
  event: { event: 'server_offline', data: { ...about(id), error: 'gone' } },
  fired_at: AT,
});
const online = (id: number): FiredEvent => ({
  event: { event: 'server_online', data: { ...about(id), error: null } },
  fired_at: AT,
});

describeEachStore('what webhooks are to hear', (fresh) => {
  async function prepare(): Promise<{ store: Store; hook: number } & Repositories> {
    const store = await fresh.migrated();
    return { store, hook: await addWebhook(store), ...createRepositories(store) };
  }
  const append = ({ audit }: Repositories, seq: number, events: FiredEvent[]) =>
    audit.append([auditRow({ seq })], chainRow({ entries: seq }), events);

  it('is one delivery, due now, for each webhook that subscribes to it', async () => {
    const { store, hook, ...repositories } = await prepare();
    const kinds = [['user_login'], ['sftp_delete', 'user_login'], ['user_login_failed'], ['server_added']];
    const hooks = [];
    for (const kind of kinds) hooks.push(await addWebhook(store, kind));
    const off = await addWebhook(store, ['*'], { enabled: false });
    await append(repositories, 1, [LOGIN]);
    const counts = await Promise.all([hook, ...hooks, off].map((id) => deliveriesTo(store, id)));
    expect(counts.map(({ length }) => length)).toEqual([1, 1, 1, 0, 0, 0]);
    const [row] = await deliveriesTo(store, hook);
    const { data } = LOGIN.event;
    const due = { status: 'pending', attempts: 0, next_attempt_at: row?.created_at };
    expect(row).toMatchObject({ event: 'user_login', fired_at: LATER, subject_id: null, data, ...due });
  });

  it('is stored together with the audit entry, or not at all', async () => {
    const { store, hook, ...repositories } = await prepare();
    await append(repositories, 1, [LOGIN, deleted(7)]);
    await expect(append(repositories, 1, [LOGIN])).rejects.toThrow();
    expect((await toldTo(store, hook)).map(({ event }) => event)).toEqual(['server_deleted', 'user_login']);
  });

  it('may have hundreds of deliveries, more than one statement takes', async () => {
    const { store, hook, ...repositories } = await prepare();
    await append(
      repositories,
      1,
      Array.from({ length: 1_100 }, () => LOGIN),
    );
    expect(await deliveriesTo(store, hook)).toHaveLength(1_100);
  });

  it('has the id of the server that was created with it', async () => {
    const { store, hook, servers } = await prepare();
    const server = await servers.insert(serverRow(), { ...added, fired_at: AT });
    expect(server).toEqual({ id: server.id, ...serverRow() });
    expect(await toldTo(store, hook)).toEqual([
      { event: 'server_added', data: { id: server.id, ...added.data } },
    ]);
    const refused = servers.insert(serverRow({ jump_via_id: 99 }), { ...added, fired_at: AT });
    await expect(refused).rejects.toMatchObject({ code: 'jump_host_unknown' });
    expect(await toldTo(store, hook)).toHaveLength(1);
  });

  it('is sent for each server of an import', async () => {
    const { store, hook, servers } = await prepare();
    const rows = ['a', 'b', 'c'].map((name) => importedRow({ name }));
    const created = await servers.insertAll(rows, ({ name }) => ({
      ...{ event: 'server_added', fired_at: AT },
      data: { name, hostname: 'h', by: 'admin' },
    }));
    const told = created.map(({ id, name }) => ({ id, name, hostname: 'h', by: 'admin' }));
    const heard = await toldTo(store, hook, 'server_added');
    expect(heard.map(({ data }) => data)).toEqual(expect.arrayContaining(told));
    expect(heard).toHaveLength(3);
  });

  it('is sent once for a removed server', async () => {
    const { store, hook, servers } = await prepare();
    const { id } = await servers.insert(serverRow());
    const other = await servers.insert(serverRow({ jump_via_id: id }));
    await expect(servers.remove(id, deleted(id))).rejects.toMatchObject({ code: 'jump_host_in_use' });
    expect(await toldTo(store, hook)).toEqual([]);
    await servers.remove(other.id);
    const removals = Array.from({ length: 8 }, () => servers.remove(id, deleted(id)));
    expect((await Promise.all(removals)).filter(Boolean)).toHaveLength(1);
    expect(await toldTo(store, hook)).toEqual([deleted(id).event]);
  });

  it('is sent once for a server that went offline and for its return, however many instances notice', async () => {
    const { store, hook, servers, server_statuses } = await prepare();
    const { id } = await servers.insert(serverRow());
    const down = statusRow(id, { status: 'offline', told_offline: true });
    const both = (row: typeof down, event: FiredEvent) =>
      Promise.all([server_statuses.save([row], [event]), server_statuses.save([row], [event])]);
    await server_statuses.save([statusRow(id)], [online(id)]);
    expect(await toldTo(store, hook)).toEqual([]); // Its offline event was never sent.
    await both(down, offline(id));
    await server_statuses.save([statusRow(id, { status: 'unchecked' })]);
    await both(down, offline(id));
    await both(statusRow(id), online(id));
    expect(await toldTo(store, hook)).toEqual([offline(id).event, online(id).event]);
    expect(await server_statuses.byServer(id)).toEqual(statusRow(id));
  });

  it('is not sent for a deleted server', async () => {
    const { store, hook, server_statuses } = await prepare();
    await server_statuses.save([statusRow(99, { status: 'offline', told_offline: true })], [offline(99)]);
    expect(await toldTo(store, hook)).toEqual([]);
  });

  it('counts as sent even when an instance did not know about it', async () => {
    const { servers, server_statuses } = await prepare();
    const { id } = await servers.insert(serverRow());
    const down = statusRow(id, { status: 'offline', failures: 2, told_offline: true });
    await server_statuses.save([down], [offline(id)]);
    await server_statuses.save([{ ...down, told_offline: false }]);
    expect(await server_statuses.byServer(id)).toEqual(down);
  });

  it('leaves out a webhook that is being deleted, and affects nothing else', async () => {
    const { store, hook, ...repositories } = await prepare();
    const kept = await addWebhook(store);
    const { deleted, seen } = await slowlyDelete(store, hook);
    await seen;
    await append(repositories, 1, [LOGIN]);
    await deleted;
    expect(await deliveriesTo(store, kept)).toHaveLength(1);
  });
});

/** A transaction that stays open for a while; `seen` resolves once the row is deleted in it. */
async function slowlyDelete(store: Store, id: number) {
  const { batch, dialect, db, tables } = store;
  const pause = dialect === 'postgres' ? [sql`select pg_sleep(0.4)`] : [];
  const deleted = batch((on) => [on.delete(tables.webhooks).where(eq(tables.webhooks.id, id)), ...pause]);
  const sleeps = sql`exists (select 1 from pg_stat_activity where query like 'select pg_sleep%' and state = 'active')`;
  const seen =
    dialect === 'sqlite'
      ? deleted
      : eventually(async () => {
          const rows = await db.select({ id: tables.webhooks.id }).from(tables.webhooks).where(sleeps);
          expect(rows).toHaveLength(2); // For everybody else it still exists.
        });
  return { deleted, seen };
}
