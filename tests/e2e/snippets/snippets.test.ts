import { beforeAll, describe, expect, it } from 'vitest';
import type { Snippet } from '#core/model/snippet.ts';
import { DIALECTS, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { createKey, INSTANT } from '../../support/features/accounts.ts';
import { type Actor, describeEachGateway, startGateway } from '../../support/gateway/gateway.ts';

const SNIPPETS = '/api/snippets';
const INPUT = { name: 'Follow', command: 'tail -f {file}', description: 'Ctrl+C ends it', confirm: true };
const NOT_FOUND = { status: 404, body: { detail: 'Snippet not found', code: 'snippet_not_found' } };
const ADMIN_ONLY = { status: 403, body: { detail: 'Admin only', code: 'admin_only' } };

describeEachGateway('Snippets', (gateway) => {
  let ann: Actor;
  let ben: Actor;
  beforeAll(async () => {
    ann = await gateway().user({ username: 'ann' });
    ben = await gateway().user({ username: 'ben' });
  });

  const ask = async (actor: Actor, method: string, path: string, input?: object) => {
    const { status, body } = await actor.call<Record<string, unknown>>(method, path, input);
    return { status, body };
  };
  const list = async (actor: Actor) => (await actor.call<Snippet[]>('GET', SNIPPETS)).body;
  const named = async (actor: Actor, name: string) => (await list(actor)).find((one) => one.name === name);
  async function add(actor: Actor, input: object = {}): Promise<Snippet> {
    const { status, body } = await actor.call<Snippet>('POST', SNIPPETS, { ...INPUT, ...input });
    expect(status).toBe(201);
    return body;
  }
  const put = (actor: Actor, { id }: Snippet, patch: object) => ask(actor, 'PUT', `${SNIPPETS}/${id}`, patch);
  const remove = (actor: Actor, { id }: Snippet) => ask(actor, 'DELETE', `${SNIPPETS}/${id}`);

  it('are created with 201, and belong to their user', async () => {
    const { status, body } = await ask(ann, 'POST', SNIPPETS, INPUT);
    const shown = { id: expect.any(Number), ...INPUT, shared: false, owned: true };
    expect({ status, body }).toEqual({
      status: 201,
      body: { ...shown, created_at: expect.stringMatching(INSTANT) },
    });
    expect(await list(ann)).toEqual([body]);
    for (const other of [ben, gateway().admin]) expect(await named(other, INPUT.name)).toBeUndefined();
  });

  it('are listed by name ignoring case, shared ones to everybody', async () => {
    await add(gateway().admin, { name: 'middle', shared: true });
    for (const name of ['Zebra', 'alpha']) await add(ben, { name });
    const seen = (await list(ben)).map(({ name, shared, owned }) => [name, shared, owned]);
    expect(seen).toEqual([
      ['alpha', false, true],
      ['middle', true, false],
      ['Zebra', false, true],
    ]);
  });

  it('may contain anything that a shell accepts', async () => {
    const command = 'printf \'%s\\n\' "$HOME" {name} `id`\n\tls | grep "ünï 🐎" && :';
    const { id } = await add(ann, { name: 'odd', command });
    expect(await named(ann, 'odd')).toMatchObject({ id, command });
  });

  it('change only the sent fields', async () => {
    const snippet = await add(ann, { name: 'before' });
    const changed = { ...snippet, name: 'after', confirm: false };
    expect(await put(ann, snippet, { name: 'after', confirm: false })).toEqual({
      status: 200,
      body: changed,
    });
    expect(await put(ann, snippet, {})).toEqual({ status: 200, body: changed });
    expect(await named(ann, 'after')).toEqual(changed);
  });

  it('are deleted once', async () => {
    const snippet = await add(ann, { name: 'gone' });
    expect((await remove(ann, snippet)).status).toBe(204);
    expect(await remove(ann, snippet)).toEqual(NOT_FOUND);
    expect(await put(ann, snippet, { name: 'back' })).toEqual(NOT_FOUND);
    expect(await named(ann, 'gone')).toBeUndefined();
  });

  it('of another user are neither changed nor deleted: 404', async () => {
    const snippet = await add(ann, { name: 'private' });
    for (const other of [ben, gateway().admin]) {
      expect(await put(other, snippet, { command: 'rm -rf /' })).toEqual(NOT_FOUND);
      expect(await remove(other, snippet)).toEqual(NOT_FOUND);
    }
    expect(await named(ann, 'private')).toEqual(snippet);
  });

  it('that are shared can be changed and deleted by any administrator, and by nobody else', async () => {
    const chief = await gateway().user({ username: 'chief', is_admin: true });
    const snippet = await add(gateway().admin, { name: 'ours', shared: true });
    expect(await put(ann, snippet, { command: 'rm -rf /' })).toEqual(NOT_FOUND);
    expect(await remove(ann, snippet)).toEqual(NOT_FOUND);
    const { status, body } = await put(chief, snippet, { command: 'uptime' });
    expect([status, body['command'], body['owned']]).toEqual([200, 'uptime', false]);
    expect((await remove(chief, snippet)).status).toBe(204);
  });

  it('are shared by administrators only', async () => {
    expect(await ask(ann, 'POST', SNIPPETS, { ...INPUT, shared: true })).toEqual(ADMIN_ONLY);
    const snippet = await add(ann, { name: 'mine' });
    expect(await put(ann, snippet, { shared: true })).toEqual(ADMIN_ONLY);
    expect(await named(ann, 'mine')).toEqual(snippet);
  });

  it('that a former administrator shared can only be unshared', async () => {
    const former = await gateway().user({ username: 'former', is_admin: true });
    const snippet = await add(former, { name: 'once shared', shared: true });
    const me = await former.call('GET', '/api/auth/me');
    await gateway().admin.call('PATCH', `/api/auth/users/${me.body['id']}`, { is_admin: false });
    expect(await put(former, snippet, { command: 'rm -rf /' })).toEqual(ADMIN_ONLY);
    const mine = await put(former, snippet, { command: 'ls', shared: false });
    expect([mine.status, mine.body['command']]).toEqual([200, 'ls']);
    expect(await named(ann, 'once shared')).toBeUndefined();
  });

  it('are not shared with an API key that lacks the scope admin', async () => {
    const key = gateway().actor((await createKey(gateway().admin, { scopes: ['read', 'terminal'] })).key);
    const own = await add(key, { name: 'of a program' });
    const shared = await add(gateway().admin, { name: 'not of a program', shared: true });
    const refused = [
      await ask(key, 'POST', SNIPPETS, { ...INPUT, shared: true }),
      await put(key, own, { shared: true }),
      await put(key, shared, { command: 'ls' }),
    ];
    for (const { status, body } of refused) expect([status, body['code']]).toEqual([403, 'scope_missing']);
  });

  it.each([
    ['an empty name', { name: '' }],
    ['a name of 81 characters', { name: 'x'.repeat(81) }],
    ['a name with a line break', { name: 'a\nb' }],
    ['an empty command', { command: '' }],
    ['a command of 4,097 characters', { command: 'x'.repeat(4097) }],
    ['a command with NUL', { command: 'a\0b' }],
    ['a description of 501 characters', { description: 'x'.repeat(501) }],
    ['an owner', { user_id: 1 }],
  ])('are refused with 422 with %s', async (_what, fields) => {
    const created = await ask(ann, 'POST', SNIPPETS, { ...INPUT, ...fields });
    const changed = await put(ann, await add(ann, { name: 'fit' }), fields);
    for (const { status, body } of [created, changed]) {
      expect([status, body['code']]).toEqual([422, 'validation']);
    }
  });

  it('are limited to 1,000 per user', async () => {
    const collector = await gateway().user({ username: 'collector' });
    const { body: me } = await collector.call<{ id: number }>('GET', '/api/auth/me');
    const { db, tables } = gateway().store;
    const row = { ...INPUT, user_id: me.id, shared: false, created_at: new Date().toISOString() };
    await db.insert(tables.snippets).values(Array.from({ length: 999 }, () => row));
    const last = await add(collector);
    expect(await ask(collector, 'POST', SNIPPETS, INPUT)).toEqual({
      status: 409,
      body: { detail: 'A user can have at most 1,000 snippets', code: 'too_many_snippets' },
    });
    expect((await remove(collector, last)).status).toBe(204);
    await add(collector);
  });

  it('are audited by name, id and changed fields, never by command', async () => {
    const writer = await gateway().user({ username: 'writer' });
    const snippet = await add(writer, { name: 'kept', command: 'mysql -psecret-1' });
    await put(writer, snippet, { ...INPUT, name: 'kept', command: 'mysql -psecret-2' });
    await put(writer, snippet, {});
    await remove(writer, snippet);
    const { body } = await gateway().admin.call<{ action: string; detail: string }[]>(
      'GET',
      '/api/auth/audit?username=writer&search=snippet_',
    );
    const label = `kept (#${snippet.id})`;
    expect(body.map(({ action, detail }) => [action, detail])).toEqual([
      ['snippet_delete', label],
      ['snippet_update', `${label}: nothing`],
      ['snippet_update', `${label}: command`],
      ['snippet_create', label],
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('are deleted with their user', async () => {
    const leaver = await gateway().user({ username: 'leaver', is_admin: true });
    await add(leaver, { name: 'left behind', shared: true });
    const { body } = await leaver.call('GET', '/api/auth/me');
    await gateway().admin.call('DELETE', `/api/auth/users/${body['id']}`);
    expect(await named(ann, 'left behind')).toBeUndefined();
  });
});

describe.each(DIALECTS)('Snippets in demo mode (%s)', (dialect) => {
  it('are available to everybody, created once', async () => {
    const database = await migratedDatabaseUrl(dialect);
    const start = () =>
      startGateway({ database_url: database.url, env: { SERVICE_DEMO_MODE: 'true' }, untouched: true });
    const seen: string[][] = [];
    for (let round = 0; round < 2; round += 1) {
      const gateway = await start();
      const demo = await gateway.signIn('demo', 'demo');
      seen.push((await demo.call<Snippet[]>('GET', SNIPPETS)).body.map(({ name }) => name));
      const { db, tables } = gateway.store;
      await db.update(tables.users).set({ created_at: '2020-01-01T00:00:00.000Z' }); // No start is in progress.
      await gateway.close();
    }
    const names = ['Disk usage', 'Follow a log', 'Restart a service'];
    expect(seen).toEqual([names, names]);
    await database.cleanup();
  });
});
