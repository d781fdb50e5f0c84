import { expect, it } from 'vitest';
import { uncheckedRow } from '#core/model/hosts/server-status.ts';
import { COUNTERS, GAUGES, type SampleName } from '#core/model/overview.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { AT, LATER, serverRow, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const FIRST = '2026-01-02T03:00:00.000Z';
const SECOND = '2026-01-02T03:05:00.000Z';
const NEXT_DAY = '2026-01-03T00:00:00.000Z';

const allOf = <Name extends string>(names: readonly Name[], value: number) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, number>;
const valued = (gauge: number, counter: number) => ({
  set: allOf(GAUGES, gauge),
  add: allOf(COUNTERS, counter),
});

describeEachStore('samples', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated()).samples;
  type Samples = Awaited<ReturnType<typeof prepare>>;

  async function read(samples: Samples, metric: SampleName, step_s = 300) {
    const found = await samples.merged(FIRST, step_s);
    return found
      .filter((row) => row.metric === metric)
      .sort((a, b) => a.step - b.step)
      .map(({ step, sum, last }) => [new Date(step * step_s * 1000).toISOString(), sum, last]);
  }

  it('add counters and replace gauges', async () => {
    const samples = await prepare();
    await samples.record(FIRST, valued(3, 10));
    await samples.record(FIRST, valued(2, 5));
    expect(await read(samples, 'uploads')).toEqual([[FIRST, 15, 15]]);
    expect(await read(samples, 'sessions')).toEqual([[FIRST, 2, 2]]);
  });

  it('add up what several instances count at once', async () => {
    const url = await fresh.url();
    const instances = [await fresh.migrated(url), await fresh.migrated(url)].map(createRepositories);
    const writes = Array.from({ length: 20 }, (_, i) =>
      instances[i % 2]?.samples.record(FIRST, valued(1, 2 ** 40)),
    );
    await Promise.all(writes);
    const [one] = instances;
    if (!one) throw new Error('no instance');
    expect(await read(one.samples, 'bytes_up')).toEqual([[FIRST, 20 * 2 ** 40, 20 * 2 ** 40]]);
  });

  it('are merged into longer intervals: sums of counters, last values of gauges', async () => {
    const samples = await prepare();
    await samples.record(FIRST, valued(3, 10));
    await samples.record(SECOND, valued(2, 5));
    await samples.record(NEXT_DAY, valued(7, 1));
    expect(await read(samples, 'uploads', 10_800)).toEqual([
      [FIRST, 15, 5],
      [NEXT_DAY, 1, 1],
    ]);
    expect((await read(samples, 'sessions', 10_800)).map(([, , last]) => last)).toEqual([2, 7]);
  });

  it('are read from a given time on', async () => {
    const samples = await prepare();
    await samples.record(FIRST, valued(3, 10));
    await samples.record(SECOND, valued(2, 5));
    const found = await samples.merged(SECOND, 300);
    expect(found.length).toBe(GAUGES.length + COUNTERS.length);
  });

  it('are removed once they are too old', async () => {
    const samples = await prepare();
    await samples.record(FIRST, valued(3, 10));
    await samples.record(SECOND, valued(2, 5));
    await samples.removeOlder(SECOND);
    expect(await read(samples, 'uploads')).toEqual([[SECOND, 5, 5]]);
  });
});

describeEachStore('the present numbers', (fresh) => {
  async function prepare() {
    const store = await fresh.migrated();
    return { store, repositories: createRepositories(store) };
  }

  async function addTerminal({ db, tables }: Store, id: string, row: { run_id: string; over?: boolean }) {
    const times = { started_at: AT, last_activity: LATER };
    const [user] = await db.select().from(tables.users);
    await db.insert(tables.terminal_sessions).values({
      id,
      user_id: user?.id ?? 0,
      username: 'admin',
      server_id: null,
      server_name: 'box',
      participants: 1,
      recording: false,
      share_digest: null,
      over: false,
      ...times,
      ...row,
    });
  }

  it('count servers by state, with unchecked ones', async () => {
    const { repositories } = await prepare();
    const [online] = [
      await repositories.servers.insert(serverRow()),
      await repositories.servers.insert(serverRow()),
    ];
    await repositories.server_statuses.save([{ ...uncheckedRow(online.id), status: 'online' }]);
    expect(await repositories.samples.present()).toMatchObject({
      servers_online: 1,
      servers_offline: 0,
      servers_unchecked: 1,
    });
  });

  it('count the servers whose key exchange is known, and the post-quantum ones', async () => {
    const { repositories } = await prepare();
    const { servers } = repositories;
    await servers.insert(serverRow());
    for (const key_exchange of ['mlkem768x25519-sha256', 'mlkem768x25519-sha256', 'curve25519-sha256'])
      await servers.insert(serverRow({ key_exchange, server_version: 'OpenSSH_10.0' }));
    expect((await repositories.samples.present()).exchanges).toEqual({ connected: 3, post_quantum: 2 });
  });

  it('count users, and terminals that run on live instances', async () => {
    const { store, repositories } = await prepare();
    await repositories.users.insert(userRow());
    const instance = {
      run_id: 'run',
      instance_id: 'one',
      url: '',
      machine: 'here',
      proof: '',
      clock_skew_ms: 0,
      recordings_directory_id: null,
      version: null,
    };
    await repositories.instances.beat(instance, 60_000);
    await addTerminal(store, 'open', { run_id: 'run' });
    await addTerminal(store, 'over', { run_id: 'run', over: true });
    await addTerminal(store, 'orphan', { run_id: 'gone' });
    expect(await repositories.samples.present()).toMatchObject({ users: 1, sessions: 1 });
  });
});
