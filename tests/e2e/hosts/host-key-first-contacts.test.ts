import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { serverOf, signInsAt, testOf } from '../../support/features/chain.ts';
import { type Actor, ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy, type TcpProxy } from '../../support/hosts/tcp.ts';

const ROUNDS = [1, 2, 3];

let hosts: [Sshd, Sshd];
let both: TcpProxy;
beforeAll(async () => {
  hosts = await Promise.all([startSshd(), startSshd()]);
  both = await startProxy(hosts[0].port, hosts[1].port);
});
afterAll(async () => {
  await both?.stop();
  await Promise.all((hosts ?? []).map((sshd) => sshd.stop()));
});

async function untilHostsAreLeft(): Promise<void> {
  for (const sshd of hosts) {
    await eventually(async () => expect(await sshd.sessionProcesses()).toEqual([]));
  }
}

describe.each(DIALECTS)('Two hosts that answer at one address (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  let elsewhere: Actor;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ database_url: database.url });
    other = await startGateway({ database_url: database.url, untouched: true });
    elsewhere = await other.signIn('admin', ADMIN_PASSWORD);
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  const addServer = () => {
    const { username, password } = hosts[0];
    return one.addServer({ name: 'two hosts', port: both.port, username, password });
  };

  it.each(ROUNDS)(
    'connected for the first time by two gateways at once: one key is pinned, the other refused (%s)',
    async () => {
      const { id } = await addServer();
      const told = hosts.map(signInsAt);
      const [here, there] = await Promise.all([testOf(one.admin, id), testOf(elsewhere, id)]);
      const refused = here.success ? there : here;
      expect([here.success, there.success].toSorted()).toEqual([false, true]);
      expect(refused.stages.at(-1)).toMatchObject({ name: 'host_key', ok: false });
      expect(refused.message).toContain('is not the one that was pinned');
      await untilHostsAreLeft();
      const accepted = hosts.filter((sshd, index) => signInsAt(sshd) > (told[index] ?? 0));
      const pinned = (await serverOf(one.admin, id)).host_key_fingerprint;
      expect(await Promise.all(accepted.map((sshd) => sshd.hostFingerprint()))).toEqual([pinned]);
    },
  );

  it('connected many times at once by one gateway: all but one key are refused', async () => {
    const { id } = await addServer();
    const tests = await Promise.all(Array.from({ length: 6 }, () => testOf(one.admin, id)));
    const pinned = (await serverOf(one.admin, id)).host_key_fingerprint;
    expect(tests.filter(({ success }) => success)).toHaveLength(3);
    for (const { success, stages } of tests) {
      const detail = stages.find(({ name }) => name === 'host_key')?.detail;
      expect(detail === pinned).toBe(success);
    }
  });
});
