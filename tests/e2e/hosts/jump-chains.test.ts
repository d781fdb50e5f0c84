import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { openShell } from '../../support/features/accounts.ts';
import { addChain, listingOf } from '../../support/features/chain.ts';
import { type Actor, ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const BASTIONS = [
  ['outer', 0],
  ['inner', 1],
] as const;

let database: FreshDatabase;
let one: TestGateway;
let other: TestGateway;
let elsewhere: Actor; // The administrator, at the other instance.
let sshds: [Sshd, Sshd, Sshd];
let servers: [Server, Server, Server];

beforeAll(async () => {
  database = await migratedDatabaseUrl('postgres');
  sshds = await Promise.all([startSshd(), startSshd(), startSshd()]);
  one = await startGateway({ database_url: database.url });
  other = await startGateway({ database_url: database.url, untouched: true });
  elsewhere = await other.signIn('admin', ADMIN_PASSWORD);
  const [outer, inner, last] = sshds;
  servers = await addChain(one, [
    { name: 'outer', sshd: outer },
    { name: 'inner', sshd: inner },
    { name: 'last', sshd: last },
  ]);
});
afterAll(async () => {
  await one?.close();
  await other?.close();
  await database?.cleanup();
  await Promise.all((sshds ?? []).map((sshd) => sshd.stop()));
});
afterEach(async () => {
  for (const sshd of sshds) await sshd.killSessions();
  await untilNobodyIsAt(sshds[2]);
});

const sessionsOf = (sshd: Sshd) => sshd.sessionProcesses();
const untilNobodyIsAt = (sshd: Sshd) => eventually(async () => expect(await sessionsOf(sshd)).toEqual([]));

describe('A jump host that dies', () => {
  it.each(BASTIONS)('ends the terminals through it, and is named: %s', async (hop, index) => {
    const shells = await Promise.all([1, 2].map(() => openShell(one, servers[2].id, one.admin.token)));
    await sshds[index].killSessions();
    for (const shell of shells) {
      expect(await shell.frame('error')).toMatchObject({ code: 'host_disconnected', hop });
      expect((await shell.closed()).code).toBe(1011);
    }
    await untilNobodyIsAt(sshds[2]);
  });

  it.each(BASTIONS)('costs file operations only a new connection: %s', async (_hop, index) => {
    expect((await listingOf(one.admin, servers[2].id)).status).toBe(200);
    await sshds[index].killSessions();
    await untilNobodyIsAt(sshds[2]);
    expect((await listingOf(one.admin, servers[2].id)).status).toBe(200);
  });

  it('does not end terminals that run through another one', async () => {
    const [straight, through] = await Promise.all([
      openShell(one, servers[0].id, one.admin.token),
      openShell(one, servers[2].id, one.admin.token),
    ]);
    await sshds[1].killSessions();
    await through.closed();
    straight.type('echo still-$((1 + 1))\r');
    await straight.sees(/still-2/);
    straight.close(1000);
  });
});

const CHANGES = {
  'an edit': (actor: Actor, id: number) => actor.call('PUT', `/api/servers/${id}`, { description: `${id}` }),
  'a cleared pin': (actor: Actor, id: number) => actor.call('DELETE', `/api/servers/${id}/host-key`),
} as const;
const EACH = BASTIONS.flatMap(([hop, index]) =>
  Object.entries(CHANGES).map(([what, change]) => [what, hop, { index, change }] as const),
);

// Each instance ends its own, at its next request or when they are idle.
describe.skipIf(IS_BALANCED)('Pooled connections', () => {
  it.each(EACH)(
    'end after %s of a bastion that they run through: %s',
    async (_what, _hop, { index, change }) => {
      expect((await listingOf(one.admin, servers[2].id)).status).toBe(200);
      expect(await sessionsOf(sshds[2])).not.toEqual([]);
      expect((await change(one.admin, servers[index].id)).status).toBe(200);
      await untilNobodyIsAt(sshds[2]);
      expect((await listingOf(one.admin, servers[2].id)).status).toBe(200);
    },
  );

  it.each(EACH)(
    'end with the next request after %s of a bastion at another gateway: %s',
    async (_what, _hop, { index, change }) => {
      expect((await listingOf(one.admin, servers[2].id)).status).toBe(200);
      const before = await sessionsOf(sshds[2]);
      expect((await change(elsewhere, servers[index].id)).status).toBe(200);
      expect((await listingOf(one.admin, servers[2].id)).status).toBe(200);
      await eventually(async () => {
        const now = await sessionsOf(sshds[2]);
        expect(before.filter((pid) => now.includes(pid))).toEqual([]);
        expect(now).not.toEqual([]);
      });
    },
  );

  it('stay when an unrelated server is edited', async () => {
    expect((await listingOf(one.admin, servers[1].id)).status).toBe(200);
    const before = await sessionsOf(sshds[1]);
    expect((await CHANGES['an edit'](one.admin, servers[2].id)).status).toBe(200);
    expect((await listingOf(one.admin, servers[1].id)).status).toBe(200);
    expect(await sessionsOf(sshds[1])).toEqual(before);
  });
});
