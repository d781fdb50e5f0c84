import { eq } from 'drizzle-orm';
import { describe, type ExpectStatic, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import type { Dialect } from '#db/store.ts';
import { DIALECTS, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import {
  isChecked,
  isOffline,
  isOnline,
  statusOf,
  untilRounds,
  untilStatus,
} from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const MONITOR = {
  SERVICE_DISABLE_MONITOR: 'false',
  SERVICE_MONITOR_INTERVAL: '1',
  SERVICE_MONITOR_TIMEOUT: '60', // a loaded machine is no host that does not answer
};
const ROUNDS = 3;

interface Scene {
  /** The gateway where servers are registered; it does not check them. */
  readonly gateway: TestGateway;
  readonly sshd: Sshd;
  /** Another instance replaces the one that checks the servers. */
  changeLeader(): Promise<void>;
  addServer(fields?: Parameters<TestGateway['addServer']>[0]): Promise<Server>;
  /** How often the host has refused a credential. */
  attempts(): number;
}

/** Two instances on one database, and a host. */
async function onStage(dialect: Dialect, play: (scene: Scene) => Promise<void>): Promise<void> {
  const sshd = await startSshd();
  const database = await migratedDatabaseUrl(dialect);
  const gateway = await startGateway({ database_url: database.url });
  const watch = () => startGateway({ database_url: database.url, env: MONITOR, untouched: true });
  let watcher = await watch();
  const { port, username } = sshd;
  try {
    await play({
      gateway,
      sshd,
      addServer: (fields) => gateway.addServer({ port, username, password: 'wrong', ...fields }),
      attempts: () => (sshd.log().match(/^Failed (password|publickey) for /gm) ?? []).length,
      async changeLeader() {
        await watcher.close();
        watcher = await watch();
      },
    });
  } finally {
    await watcher.close();
    await gateway.close();
    await database.cleanup();
    await sshd.stop();
  }
}

describe.concurrent.each(DIALECTS)('A credential that a host has refused (%s)', (dialect) => {
  const rule = (name: string, play: (scene: Scene, expect: ExpectStatic) => Promise<void>) =>
    it(name, ({ expect }) => onStage(dialect, (scene) => play(scene, expect)));

  rule(
    'is not sent again, round after round, while the server stays offline with the reason',
    async ({ gateway, addServer, attempts }, expect) => {
      const { id } = await addServer();
      const refused = await untilStatus(gateway.admin, id, isOffline);
      expect(refused).toMatchObject({ error: expect.stringMatching(/password/) });
      await untilRounds(gateway.admin, id, ROUNDS);
      expect(await statusOf(gateway.admin, id)).toMatchObject({ status: 'offline', error: refused.error });
      expect(attempts()).toBe(1);
    },
  );

  rule(
    'is not sent again by the next leader',
    async ({ gateway, changeLeader, addServer, attempts }, expect) => {
      const { id } = await addServer();
      await untilStatus(gateway.admin, id, isOffline);
      await changeLeader();
      await untilRounds(gateway.admin, id, ROUNDS);
      expect(attempts()).toBe(1);
    },
  );

  rule(
    'of a bastion is sent once, not for each server behind it',
    async ({ gateway, addServer, attempts }, expect) => {
      const bastion = await addServer({ name: 'bastion' });
      const behind = [];
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        behind.push(await addServer({ name, jump_via_id: bastion.id }));
      for (const { id } of behind) await untilStatus(gateway.admin, id, isOffline);
      await Promise.all(behind.map(({ id }) => untilRounds(gateway.admin, id, ROUNDS)));
      expect(attempts()).toBe(1);
      for (const { id } of behind) {
        expect((await statusOf(gateway.admin, id)).error).toMatch(
          /^Not reached: its jump host bastion is offline$/,
        );
      }
    },
  );

  rule('is tried again 10 minutes later', async ({ gateway, addServer, attempts }, expect) => {
    const { id } = await addServer();
    await untilStatus(gateway.admin, id, isOffline);
    const { db, tables } = gateway.store;
    const { server_statuses } = tables;
    const refused_at = (age_ms: number) => ({ refused_at: new Date(Date.now() - age_ms).toISOString() });
    const age = (age_ms: number) =>
      db.update(server_statuses).set(refused_at(age_ms)).where(eq(server_statuses.server_id, id));
    await age(9 * 60_000);
    await untilRounds(gateway.admin, id, ROUNDS);
    expect(attempts()).toBe(1);
    await eventually(async () => {
      await age(11 * 60_000); // Again, after a round in progress has stored its results.
      await untilRounds(gateway.admin, id, 1);
      expect(attempts()).toBeGreaterThan(1);
    });
  });

  rule('that was replaced is tried at once', async ({ gateway, sshd, addServer, attempts }, expect) => {
    const { id } = await addServer();
    await untilStatus(gateway.admin, id, isOffline);
    await gateway.admin.call('PUT', `/api/servers/${id}`, { password: sshd.password });
    await untilStatus(gateway.admin, id, isOnline);
    expect(attempts()).toBe(1);
    await gateway.admin.call('PUT', `/api/servers/${id}`, { password: 'wrong again' });
    await untilStatus(gateway.admin, id, isOffline);
    await untilRounds(gateway.admin, id, ROUNDS);
    expect(attempts()).toBe(2);
  });

  rule(
    'is not tried again because something else was edited',
    async ({ gateway, addServer, attempts }, expect) => {
      const { id } = await addServer();
      await untilStatus(gateway.admin, id, isOffline);
      await gateway.admin.call('PUT', `/api/servers/${id}`, { description: 'edited', tags: ['x'] });
      await untilRounds(gateway.admin, id, ROUNDS);
      expect(attempts()).toBe(1);
    },
  );

  rule(
    'is not the one of a host that wants a second step: that is up, and not asked for it every round',
    async ({ gateway, addServer }, expect) => {
      const careful = await startSshd({ config: ['AuthenticationMethods publickey,password'] });
      const { port, username, private_key } = careful;
      const { id } = await addServer({ port, username, auth_method: 'key', private_key, password: '' });
      const status = await untilStatus(gateway.admin, id, isChecked);
      expect(status).toMatchObject({ status: 'online', error: null });
      await untilRounds(gateway.admin, id, ROUNDS);
      expect(await statusOf(gateway.admin, id)).toMatchObject({ status: 'online', error: null });
      expect(careful.log().match(/^Partial publickey for /gm)).toHaveLength(1);
      await careful.stop();
    },
  );
});
