import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerStatuses } from '#core/model/hosts/server-status.ts';
import { UNCHECKED } from '#core/model/hosts/server-status.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { createKey } from '../../support/features/accounts.ts';
import { OFFLINE, ONLINE, saveStatus, statusOf } from '../../support/features/statuses.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  describeEachGateway,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';

const all = async (actor: Actor) => (await actor.call<ServerStatuses>('GET', '/api/servers/status')).body;

describeEachGateway('The statuses', (gateway) => {
  let member: Actor;
  beforeAll(async () => {
    member = await gateway().user({ username: 'member', allowed_groups: ['blue', 'none'] });
  });

  async function serverIn(group: string): Promise<number> {
    return (await gateway().addServer({ name: `of ${group}`, group })).id;
  }

  it('are an object keyed by the id as a string, with exactly the documented fields', async () => {
    const id = await serverIn('blue');
    await saveStatus(gateway(), id, ONLINE);
    expect((await all(gateway().admin))[String(id)]).toEqual(ONLINE);
    expect(await statusOf(gateway().admin, id)).toEqual(ONLINE);
  });

  it('are unchecked before the first check', async () => {
    const id = await serverIn('blue');
    expect((await all(member))[String(id)]).toEqual(UNCHECKED);
    expect(await statusOf(member, id)).toEqual(UNCHECKED);
  });

  it('are limited to the caller’s groups', async () => {
    const [seen, hidden] = [await serverIn('blue'), await serverIn('red')];
    await saveStatus(gateway(), hidden, OFFLINE);
    const statuses = await all(member);
    expect(statuses).toHaveProperty(String(seen));
    expect(statuses).not.toHaveProperty(String(hidden));
    const { status, body } = await member.call('GET', `/api/servers/${hidden}/status`);
    expect([status, body['code']]).toEqual([404, 'server_not_found']);
    expect(await all(gateway().admin)).toHaveProperty(String(hidden));
  });

  it('are empty for a caller without any reach', async () => {
    const nobody = await gateway().user({ username: 'nobody-yet' });
    expect(await all(nobody)).toEqual({});
  });

  it('of an unknown server are 404', async () => {
    const { status, body } = await gateway().admin.call('GET', '/api/servers/999999/status');
    expect([status, body['code']]).toEqual([404, 'server_not_found']);
  });

  it('are available to an API key with the scope read, and to no other', async () => {
    const id = await serverIn('blue');
    const reader = await createKey(member, { scopes: ['read'] });
    expect(await all(gateway().actor(reader.key))).toHaveProperty(String(id));
    const other = await createKey(member, { scopes: ['files', 'terminal'] });
    expect((await gateway().actor(other.key).call('GET', '/api/servers/status')).body['code']).toBe(
      'scope_missing',
    );
  });

  it.each([
    ['the address', { hostname: '127.0.0.2' }],
    ['the port', { port: 2222 }],
    ['the credential', { password: 'another' }],
    ['the way', { auth_method: 'prompt' }],
  ])('are unchecked again when %s changes', async (_what, patch) => {
    const id = await serverIn('blue');
    await saveStatus(gateway(), id, OFFLINE);
    expect((await gateway().admin.call('PUT', `/api/servers/${id}`, patch)).status).toBe(200);
    expect(await statusOf(member, id)).toEqual(UNCHECKED);
  });

  it('are unchecked again when the pin is cleared', async () => {
    const id = await serverIn('blue');
    await saveStatus(gateway(), id, ONLINE);
    await gateway().admin.call('DELETE', `/api/servers/${id}/host-key`);
    expect(await statusOf(member, id)).toEqual(UNCHECKED);
  });

  it('stay when an edit does not affect how the server is reached', async () => {
    const id = await serverIn('blue');
    await saveStatus(gateway(), id, ONLINE);
    await gateway().admin.call('PUT', `/api/servers/${id}`, { description: 'new', tags: ['a'] });
    expect(await statusOf(member, id)).toEqual(ONLINE);
  });

  it('are removed with the server', async () => {
    const id = await serverIn('blue');
    await saveStatus(gateway(), id, ONLINE);
    await gateway().admin.call('DELETE', `/api/servers/${id}`);
    expect(await all(gateway().admin)).not.toHaveProperty(String(id));
  });
});

describe.each(DIALECTS)('Two instances on one database (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ database_url: database.url });
    other = await startGateway({ database_url: database.url, untouched: true });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  it('return the same statuses', async () => {
    const ids = [];
    for (const status of [ONLINE, OFFLINE]) {
      const { id } = await one.addServer({ name: status.status });
      await saveStatus(one, id, status);
      ids.push(id);
    }
    await one.addServer({ name: 'new' });
    const there = await other.signIn('admin', ADMIN_PASSWORD);
    expect(await all(there)).toEqual(await all(one.admin));
    for (const id of ids) expect(await statusOf(there, id)).toEqual(await statusOf(one.admin, id));
  });
});
