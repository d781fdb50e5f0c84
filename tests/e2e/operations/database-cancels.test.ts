import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { forgetfulProxy } from '../../support/databases/postgres-proxy.ts';
import { serverRow } from '../../support/databases/rows.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const SERVERS = 200; // more rows than fit into one packet
const ROUNDS = 60;

let database: FreshDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await migratedDatabaseUrl('postgres');
  gateway = await startGateway({ database_url: database.url });
  await fill();
});
afterAll(async () => {
  await gateway?.close();
  await database?.cleanup();
});

it('statements cancelled at random cause right answers or 503, never 401, 404 or wrong rows', async () => {
  const { admin } = gateway;
  const { id } = await gateway.addServer({ name: 'first' });
  const { length } = (await admin.call<unknown[]>('GET', '/api/servers')).body;
  const asks: [string, (body: Record<string, unknown>) => unknown][] = [
    ['/api/auth/me', ({ username }) => username],
    [`/api/servers/${id}`, ({ name }) => name],
    ['/api/servers', ({ length }) => length],
  ];
  const answers = new Set<string>();
  const retries = new Set<string | null>();
  let is_over = false;
  const readers = Array.from({ length: 9 }, async (_, i) => {
    for (let n = i; !is_over; n += 1) {
      const [path, seen] = asks[n % 3] ?? ['', String];
      const { status, headers, body } = await admin.call('GET', path);
      answers.add(`${path} ${status} ${status === 200 ? seen(body) : body['code']}`);
      if (status === 503) retries.add(headers.get('retry-after'));
    }
  });
  await cancelAtRandom();
  is_over = true;
  await Promise.all(readers);
  const right = ['/api/auth/me 200 admin', `/api/servers/${id} 200 first`, `/api/servers 200 ${length}`];
  const refused = asks.map(([path]) => `${path} 503 database_unavailable`);
  expect([...answers].filter((answer) => !right.includes(answer)).sort()).toEqual(refused.sort());
  expect([...answers]).toEqual(expect.arrayContaining(right));
  expect([...retries]).toEqual(['5']);
});

it('a deletion whose answer from the database is lost is answered once, and audited once', async () => {
  const { url, cleanup } = await migratedDatabaseUrl('postgres');
  const proxy = await forgetfulProxy(url);
  const behind = await startGateway({ database_url: proxy.url });
  const { admin } = behind;
  for (const [name, command, statement] of [
    ['lost commit', 'COMMIT', 'delete from "servers"'],
    ['lost audit entry', 'SELECT', 'insert into "audit_entries"'],
  ] as const) {
    const { id } = await behind.addServer({ name });
    const before = proxy.losses();
    proxy.lose(command, statement);
    expect((await admin.call('DELETE', `/api/servers/${id}`)).status).toBe(204);
    expect(proxy.losses()).toBe(before + 1);
    expect((await admin.call('DELETE', `/api/servers/${id}`)).status).toBe(404);
    const { body } = await admin.call<{ detail: string }[]>('GET', '/api/auth/audit?action=server_delete');
    expect(body.filter(({ detail }) => detail.includes(name))).toHaveLength(1);
  }
  await behind.close();
  await cleanup();
});

async function cancelAtRandom(): Promise<void> {
  const killer = postgres(database.url, { max: 1, onnotice: () => undefined });
  for (let round = 0; round < ROUNDS; round += 1) {
    const end = round % 10 === 0 ? 'pg_terminate_backend' : 'pg_cancel_backend';
    await killer.unsafe(`select ${end}(pid) from pg_stat_activity where state = 'active'
      and datname = current_database() and application_name = 'sallyport' and pid <> pg_backend_pid()`);
    await sleep(5 * Math.random());
  }
  await killer.end();
}

async function fill(): Promise<void> {
  const { servers } = createRepositories(gateway.store);
  const description = 'x'.repeat(200);
  const names = Array.from({ length: SERVERS }, (_, i) => `server ${i}`);
  await Promise.all(names.map((name) => servers.insert(serverRow({ name, description }))));
}
