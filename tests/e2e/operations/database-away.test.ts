import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../support/databases/postgres.ts';
import { eventually } from '../../support/eventually.ts';
import { misfits, startDeeds } from '../../support/features/deeds.ts';
import { addWebhook } from '../../support/features/deliveries.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { USER_PASSWORD } from '../../support/gateway/gateway.ts';

const FILES = 1_500;
const TIMES = 5; // Of each action before the outage and after it.

let postgres: TestPostgres;
let host: FileHost;
beforeAll(async () => {
  postgres = await startPostgres({ durable: true });
  host = await startFileHost({ gateway: { database_url: postgres.url } });
});
afterAll(async () => {
  await host?.stop();
  await postgres?.stop();
});

async function verdict(): Promise<unknown> {
  return (await host.gateway.admin.call('GET', '/api/auth/audit/verify')).body['ok'];
}

/** Servers whose creation has no audit entry. */
async function unrecorded(): Promise<string[]> {
  const { db, tables } = host.gateway.store;
  const entries = await db.select().from(tables.audit_entries);
  const details = entries.filter(({ action }) => action === 'server_create').map(({ detail }) => detail);
  const rows = await db.select().from(tables.servers);
  return rows.map(({ name }) => name).filter((name) => !details.some((detail) => detail.startsWith(name)));
}

it('a database that crashes and returns loses no entry and no event of acknowledged changes', async () => {
  const { store, url, admin, ...gateway } = host.gateway;
  const hook = await addWebhook(store);
  const { id: server_id } = host.server;
  await gateway.user({ username: 'ann' });
  const names = Array.from({ length: FILES }, (_, i) => `file-${i}`);
  const paths = await Promise.all(names.map((name) => host.put(name, '')));
  const people = { url, token: admin.token, username: 'ann', password: USER_PASSWORD, server_id, paths };
  const { acknowledged, refusals, ...doing } = startDeeds(people);
  await doing.more(TIMES);
  await postgres.crash();
  await doing.refused(30);
  expect((await admin.call('GET', '/api/servers')).body).toMatchObject({ code: 'database_unavailable' });
  await postgres.restart();
  await doing.more(TIMES);
  await doing.stop();
  expect(new Set(refusals)).toEqual(new Set(['503 database_unavailable']));
  await eventually(async () => {
    expect(await misfits({ store, hook, server_id }, acknowledged)).toEqual([]);
    expect(await unrecorded()).toEqual([]);
  });
  expect(await verdict()).toBe(true);
});
