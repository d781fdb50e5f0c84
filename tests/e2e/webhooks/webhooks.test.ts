import { eq } from 'drizzle-orm';
import { beforeAll, expect, it } from 'vitest';
import { SUBSCRIBABLE } from '#core/model/webhooks/event.ts';
import type { Delivery, Webhook } from '#core/model/webhooks/webhook.ts';
import { createKey, INSTANT } from '../../support/features/accounts.ts';
import { type Actor, describeEachGateway } from '../../support/gateway/gateway.ts';

const WEBHOOKS = '/api/webhooks';
const ADDRESS = 'https://hooks.invalid/services/T0/secret-part'; // RFC 2606: it never exists.
const INPUT = { name: 'chat', url: ADDRESS };
const NOT_FOUND = { status: 404, body: { detail: 'Webhook not found', code: 'webhook_not_found' } };
const NO_DELIVERY = { status: 404, body: { detail: 'Delivery not found', code: 'delivery_not_found' } };
const ADMIN_ONLY = { status: 403, body: { detail: 'Admin only', code: 'admin_only' } };
const REFUSED = [422, 'webhook_url_refused'];

describeEachGateway('Webhooks', (gateway) => {
  let admin: Actor;
  beforeAll(() => {
    admin = gateway().admin;
  });

  const ask = async (method: string, path = '', input?: object, actor = admin) => {
    const { status, body } = await actor.call<Record<string, unknown>>(method, `${WEBHOOKS}${path}`, input);
    return { status, body };
  };
  const list = async () => (await admin.call<Webhook[]>('GET', WEBHOOKS)).body;
  const found = async (id: number) => (await list()).find((one) => one.id === id);
  async function add(input: object = {}): Promise<Webhook> {
    const { status, body } = await admin.call<Webhook>('POST', WEBHOOKS, { ...INPUT, ...input });
    expect(status).toBe(201);
    return body;
  }
  const put = ({ id }: Pick<Webhook, 'id'>, patch: object) => ask('PUT', `/${id}`, patch);
  const remove = ({ id }: Pick<Webhook, 'id'>) => ask('DELETE', `/${id}`);
  const deliveriesOf = async ({ id }: Webhook) =>
    (await admin.call<Delivery[]>('GET', `${WEBHOOKS}/${id}/deliveries`)).body;

  /** The stored row. */
  async function rowOf({ id }: Webhook) {
    const { db, tables } = gateway().store;
    const [row] = await db.select().from(tables.webhooks).where(eq(tables.webhooks.id, id));
    return row;
  }

  it('are created with 201, for all events and enabled, and listed by name', async () => {
    const { status, body } = await ask('POST', '', INPUT);
    const shown = { id: expect.any(Number), ...INPUT, events: ['*'], enabled: true, has_secret: false };
    const unfired = { previous_secret_until: null, last_fired_at: null, last_status: null };
    expect({ status, body }).toEqual({
      status: 201,
      body: { ...shown, ...unfired, created_at: expect.stringMatching(INSTANT) },
    });
    await add({ name: 'Alarm' });
    const names = (await list()).map(({ name }) => name);
    expect(names.indexOf('Alarm')).toBeLessThan(names.indexOf('chat'));
  });

  it('may choose their events, each once, from the known kinds', async () => {
    const { body } = await ask('GET', '/events');
    expect(body).toEqual(SUBSCRIBABLE.options);
    const events = ['user_login', 'server_offline', 'user_login'];
    expect((await add({ events })).events).toEqual(['user_login', 'server_offline']);
    expect((await add({ events: ['user_login', '*'] })).events).toEqual(['*']);
  });

  it('change only the sent fields', async () => {
    const webhook = await add({ secret: 'hush' });
    const patch = { name: 'after', enabled: false, events: ['sftp_delete'] };
    expect(await put(webhook, patch)).toEqual({ status: 200, body: { ...webhook, ...patch } });
    expect(await put(webhook, {})).toEqual({ status: 200, body: { ...webhook, ...patch } });
    expect(await found(webhook.id)).toEqual({ ...webhook, ...patch });
  });

  it('are deleted once, with their deliveries', async () => {
    const webhook = await add({ enabled: false });
    await ask('POST', `/${webhook.id}/test`);
    const [delivery] = await deliveriesOf(webhook);
    expect((await remove(webhook)).status).toBe(204);
    expect(await remove(webhook)).toEqual(NOT_FOUND);
    expect(await put(webhook, { name: 'back' })).toEqual(NOT_FOUND);
    expect(await ask('POST', `/${webhook.id}/test`)).toEqual(NOT_FOUND);
    expect(await ask('GET', `/${webhook.id}/deliveries`)).toEqual(NOT_FOUND);
    expect(await ask('POST', `/deliveries/${delivery?.id}/replay`)).toEqual(NO_DELIVERY);
  });

  it('never return their secret, and seal it', async () => {
    const secret = 'a-secret-that-must-not-be-seen';
    const webhook = await add({ secret });
    expect([webhook.has_secret, (await put(webhook, { name: 'b' })).body['has_secret']]).toEqual([
      true,
      true,
    ]);
    const shown = JSON.stringify([webhook, await list(), await rowOf(webhook)]);
    expect(shown).not.toContain(secret);
    expect((await rowOf(webhook))?.secret_sealed).toMatch(/^v2:/);
  });

  it('keep the previous secret for 24 hours, until it is cleared', async () => {
    const webhook = await add({ secret: 'one' });
    expect((await put(webhook, { secret: 'one' })).body['previous_secret_until']).toBeNull();
    const { body } = await put(webhook, { secret: 'two' });
    const hours = (Date.parse(String(body['previous_secret_until'])) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    const cleared = await put(webhook, { secret: '' });
    expect(cleared.body).toMatchObject({ has_secret: false, previous_secret_until: null });
    expect(await rowOf(webhook)).toMatchObject({ secret_sealed: null, previous_secret_sealed: null });
  });

  it('keep one complete secret when it changes at two instances at once', async () => {
    const webhook = await add({ secret: 'first' });
    const secrets = Array.from({ length: 8 }, (_, i) => `secret ${i}`);
    const changes = await Promise.all(secrets.map((secret) => put(webhook, { secret })));
    expect(changes.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await rowOf(webhook)).toMatchObject({ previous_secret_sealed: expect.stringMatching(/^v2:/) });
  });

  it.each([
    ['http', 'http://hooks.invalid/'],
    ['another protocol', 'gopher://hooks.invalid/'],
    ['no URL', 'hooks.invalid'],
    ['a username and a password', 'https://me:secret@hooks.invalid/'],
    ['a fragment', 'https://hooks.invalid/#a'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback in decimal', 'https://2130706433/'],
    ['loopback as IPv6', 'https://[::1]/'],
    ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['localhost', 'https://localhost.:8443/'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/'],
    ['a private network', 'https://10.1.2.3/'],
  ])('are not sent to %s', async (_what, url) => {
    const created = await ask('POST', '', { ...INPUT, url });
    const changed = await put(await add(), { url });
    for (const { status, body } of [created, changed]) {
      expect([status, body['code']]).toEqual(REFUSED);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
  });

  it.each([
    ['an empty name', { name: '' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with a line break', { name: 'a\nb' }],
    ['no events', { events: [] }],
    ['an unknown event', { events: ['rain'] }],
    ['the event test', { events: ['test'] }],
    ['a URL of 2,049 characters', { url: `https://hooks.invalid/${'x'.repeat(2027)}` }],
    ['a secret of 257 characters', { secret: 'x'.repeat(257) }],
    ['a secret that is null', { secret: null }],
    ['what it does not have', { last_status: 200 }],
  ])('are refused with 422 with %s', async (_what, fields) => {
    const created = await ask('POST', '', { ...INPUT, ...fields });
    const changed = await put(await add(), fields);
    for (const { status, body } of [created, changed]) {
      expect([status, body['code']]).toEqual([422, 'validation']);
    }
  });

  it('are for administrators only, and for their API keys with the scope admin', async () => {
    const ann = await gateway().user({ username: 'ann' });
    const key = gateway().actor((await createKey(admin, { scopes: ['read'] })).key);
    const webhook = await add();
    const asked: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '', INPUT],
      ['PUT', `/${webhook.id}`, { name: 'x' }],
      ['DELETE', `/${webhook.id}`],
      ['POST', `/${webhook.id}/test`],
      ['GET', `/${webhook.id}/deliveries`],
      ['POST', '/deliveries/1/replay'],
    ];
    for (const [method, path, input] of asked) {
      expect(await ask(method, path, input, ann)).toEqual(ADMIN_ONLY);
      expect((await ask(method, path, input, key)).body['code']).toBe('scope_missing');
    }
    expect(await found(webhook.id)).toEqual(webhook);
  });

  it('are audited by name, id and changed fields, never by URL or secret', async () => {
    const chief = await gateway().user({ username: 'chief', is_admin: true });
    const { body: webhook } = await chief.call<Webhook>('POST', WEBHOOKS, { ...INPUT, secret: 'hush-1' });
    const path = `/${webhook.id}`;
    await ask('PUT', path, { url: `${ADDRESS}/2`, secret: 'hush-2', events: ['*'] }, chief);
    await ask('PUT', path, {}, chief);
    await ask('POST', `${path}/test`, undefined, chief);
    await ask('DELETE', path, undefined, chief);
    const { body } = await chief.call<{ action: string; detail: string }[]>(
      'GET',
      '/api/auth/audit?username=chief&search=webhook_',
    );
    const label = `chat (#${webhook.id})`;
    expect(body.map(({ action, detail }) => [action, detail])).toEqual([
      ['webhook_delete', label],
      ['webhook_test', label],
      ['webhook_update', `${label}: nothing`],
      ['webhook_update', `${label}: url, secret`],
      ['webhook_create', `${label} to https://hooks.invalid`],
    ]);
  });

  it('list their deliveries in pages, newest first, with the total', async () => {
    const webhook = await add();
    for (let i = 0; i < 3; i += 1) await ask('POST', `/${webhook.id}/test`);
    const path = `${WEBHOOKS}/${webhook.id}/deliveries`;
    const { body, headers } = await admin.call<Delivery[]>('GET', `${path}?limit=2&offset=1`);
    const ids = (await deliveriesOf(webhook)).map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect([body.map(({ id }) => id), headers.get('x-total-count')]).toEqual([ids.slice(1), '3']);
    expect(body[0]).not.toHaveProperty('data');
    expect((await ask('GET', `/${webhook.id}/deliveries?limit=501`)).status).toBe(422);
  });

  // Last: afterwards nobody can create another one.
  it('are limited to 100', async () => {
    const { db, tables } = gateway().store;
    const at = new Date().toISOString();
    const row = {
      ...INPUT,
      events: ['*'],
      subscription: '|*|',
      enabled: false,
      created_at: at,
      updated_at: at,
    };
    const left = 99 - (await list()).length;
    await db.insert(tables.webhooks).values(Array.from({ length: left }, () => row));
    const last = await add();
    expect(await ask('POST', '', INPUT)).toEqual({
      status: 409,
      body: { detail: 'There can be at most 100 webhooks', code: 'too_many_webhooks' },
    });
    expect((await remove(last)).status).toBe(204);
    await add();
  });
});
