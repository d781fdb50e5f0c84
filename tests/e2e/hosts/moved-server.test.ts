import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostKeys } from '#core/hosts/host-keys.ts';
import { createRevokedKeys } from '#core/hosts/known-hosts/revoked.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { SshHop } from '#core/ports/ssh.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { createBackground } from '#server/adapters/background.ts';
import { systemClock } from '#server/lib/clock.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl, silent } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import {
  addHost,
  listingOf,
  openingTerminal,
  serverOf,
  signInsAt,
  testOf,
} from '../../support/features/chain.ts';
import { isChecked, untilStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type HeldProxy, startHeldProxy } from '../../support/hosts/held-proxy.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort } from '../../support/hosts/tcp.ts';

/** The second is what ends a file operation: the change or the new key may be noticed first. */
const isMoved = (name: string) =>
  expect.toSatisfy((message) =>
    [
      `${name} was changed while it was being connected to`,
      'The server was changed while it was being connected to',
      'The server was changed',
    ].includes(message),
  );

let database: FreshDatabase;
let gateway: TestGateway;
/** The gateway for edits: an edit at the dialling gateway ends its dial at once. */
let other: TestGateway;
/** The servers' previous address. */
let old: Sshd;
beforeAll(async () => {
  old = await startSshd();
  database = await migratedDatabaseUrl('sqlite');
  gateway = await startGateway({ database_url: database.url });
  other = await startGateway({ database_url: database.url, untouched: true });
});
afterAll(async () => {
  await gateway?.close();
  await other?.close();
  await database?.cleanup();
  await old?.stop();
});

async function move({ id }: Server, to: object): Promise<void> {
  const { status } = await other.actor(gateway.admin.token).call('PUT', `/api/servers/${id}`, to);
  expect(status).toBe(200);
}

async function withHeld(play: (held: HeldProxy) => Promise<void>): Promise<void> {
  const held = await startHeldProxy(old.port);
  await play(held).finally(held.stop);
}

/** By then the old host has logged everything. */
async function nobodyIsLeft(): Promise<void> {
  await eventually(async () => expect(await old.sessionProcesses()).toEqual([]));
}

const DIALLED_BY: [string, (id: number) => Promise<string>][] = [
  ['a test', async (id) => (await testOf(gateway.admin, id)).message],
  ['a file operation', async (id) => String((await listingOf(gateway.admin, id)).detail)],
  ['a terminal', async (id) => String((await openingTerminal(gateway, id).frame('error'))['message'])],
];

describe.each(DIALLED_BY)('The old address of a server that moves while %s connects to it', (by, dial) => {
  /** The result of the attempt, once it is final. */
  async function movedMeanwhile(server: Server, dialled: Server, held: HeldProxy): Promise<string> {
    const dialling = dial(dialled.id);
    await held.connected(1);
    await move(server, { port: await freePort() });
    held.release();
    const message = await dialling;
    await nobodyIsLeft();
    return message;
  }

  it('gets no credential, and is not pinned', () =>
    withHeld(async (held) => {
      const server = await addHost(gateway, { name: `by ${by}`, sshd: old, port: held.port });
      const message = await movedMeanwhile(server, server, held);
      expect(signInsAt(old)).toBe(0);
      expect(message).toEqual(isMoved(server.name));
      expect((await serverOf(gateway.admin, server.id)).host_key_fingerprint).toBe('');
    }));

  it('gets none when it is the address of a jump host either', () =>
    withHeld(async (held) => {
      const bastion = await addHost(gateway, { name: `bastion by ${by}`, sshd: old, port: held.port });
      const inner = await addHost(gateway, { name: `behind by ${by}`, sshd: old, jump_via_id: bastion.id });
      const message = await movedMeanwhile(bastion, inner, held);
      expect(signInsAt(old)).toBe(0);
      expect(message).toEqual(isMoved(bastion.name));
      expect((await serverOf(gateway.admin, bastion.id)).host_key_fingerprint).toBe('');
    }));
});

describe('The old address of a server that moves while host keys are not verified', () => {
  it('gets no credential either', () =>
    withHeld(async (held) => {
      const env = { SERVICE_VERIFY_HOST_KEYS: 'false' };
      const trusting = await startGateway({ database_url: database.url, env, untouched: true });
      const server = await addHost(gateway, { name: 'unverified', sshd: old, port: held.port });
      const testing = testOf(trusting.actor(gateway.admin.token), server.id);
      await held.connected(1);
      await move(server, { port: await freePort() });
      held.release();
      const { message } = await testing;
      await nobodyIsLeft();
      expect(signInsAt(old)).toBe(0);
      expect(message).toEqual(isMoved(server.name));
      await trusting.close();
    }));
});

describe('A server that moves between the verdict on its key and the pin', () => {
  it('is not pinned, and the attempt ends', async () => {
    const server = await addHost(gateway, { name: 'just moved', sshd: old });
    const repositories = createRepositories(gateway.store);
    const host_keys = createHostKeys({
      repositories,
      revoked: createRevokedKeys({ repositories, clock: systemClock }),
      ...{
        enabled: true,
        clock: systemClock,
        background: createBackground(silent),
        log: silent,
        record: async () => {},
      },
    });
    const { id: server_id, name, hostname, port, username } = server;
    const hop: SshHop = {
      ...{ server_id, name, hostname, port, username, algorithms: 'default' },
      ...{ known_host_keys: [], revision: server.updated_at },
      auth: { method: 'prompt' },
    };
    const key = { host_key: 'AAAA', fingerprint: 'SHA256:of-a-test' };
    expect(await host_keys.judge(hop, key)).toBe('pin');
    await move(server, { hostname: 'moved.example' });
    await expect(host_keys.pin(hop, key)).rejects.toMatchObject({ code: 'server_changed' });
    expect((await serverOf(gateway.admin, server_id)).host_key_fingerprint).toBe('');
  });
});

const MONITOR = {
  SERVICE_DISABLE_MONITOR: 'false',
  SERVICE_MONITOR_INTERVAL: '3600', // what a check before the move found would stand for an hour
  SERVICE_MONITOR_TIMEOUT: '30',
};
const AT_ONE_ADDRESS = 3; // Checked at once; the others are queued.

describe.concurrent.each(DIALECTS)('Servers that move while they are checked (%s)', (dialect) => {
  it('send nothing to their old address, and get the status of their new one', async ({ expect }) => {
    const [before, after] = await Promise.all([startSshd(), startSshd()]);
    const held = await startHeldProxy(before.port);
    const database = await migratedDatabaseUrl(dialect);
    const registry = await startGateway({ database_url: database.url });
    const servers: Server[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      servers.push(await addHost(registry, { name, sshd: before, port: held.port }));
    }
    const monitor = await startGateway({ database_url: database.url, env: MONITOR, untouched: true });
    await held.connected(AT_ONE_ADDRESS);
    for (const { id } of servers) {
      await registry.admin.call('PUT', `/api/servers/${id}`, { port: after.port });
    }
    held.release();
    for (const { id } of servers) {
      const status = await untilStatus(registry.admin, id, isChecked);
      expect(status).toMatchObject({ status: 'online', error: null });
    }
    expect(signInsAt(before)).toBe(0);
    expect(held.accepted()).toBe(AT_ONE_ADDRESS);
    await monitor.close();
    await registry.close();
    await database.cleanup();
    await held.stop();
    await Promise.all([before.stop(), after.stop()]);
  });
});
