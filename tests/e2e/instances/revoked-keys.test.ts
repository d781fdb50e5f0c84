import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { scanHost } from '../../support/hosts/known-hosts.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let database: FreshDatabase;
let first: TestGateway;
let second: TestGateway;
let server: Server;

beforeAll(async () => {
  sshd = await startSshd();
  database = await migratedDatabaseUrl('postgres');
  first = await startGateway({ database_url: database.url });
  second = await startGateway({ database_url: database.url, untouched: true });
  server = await addHost(first, { name: 'harbor', sshd });
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await database?.cleanup();
  await sshd?.stop();
});

it('another instance drops its connection to a host whose key is revoked', async () => {
  const there = second.actor(first.admin.token);
  const list = () => there.call<{ code?: string }>('GET', `/api/files/${server.id}/ls?path=/`);
  expect((await list()).status).toBe(200); // the connection stays open
  const scanned = (await scanHost(sshd.port)).trim().split('\n');
  const text = scanned.map((line) => `@revoked ${line}`).join('\n');
  await first.admin.call('POST', '/api/servers/host-keys/import', { text });
  const refused = await list();
  expect([refused.status, refused.body.code]).toEqual([502, 'host_key_revoked']);
});
