import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Delivery, Webhook } from '#core/model/webhooks/webhook.ts';
import { DIALECTS, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { INSTANT } from '../../support/features/accounts.ts';
import {
  ADMIN_PASSWORD,
  describeEachGateway,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';
import { startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';
import {
  eventOf,
  signatureOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/hosts/webhook-receiver.ts';

const ALLOW_PRIVATE = { env: { SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true' } };
const PAST = '2020-01-01T00:00:00.000Z';
const MEGABYTE = 1024 * 1024;

/** The path says how it answers. */
const startObedientReceiver = () =>
  startWebhookReceiver((response, { path }) => {
    if (path.startsWith('/elsewhere')) response.writeHead(302, { location: '/hidden' }).end();
    else if (path.startsWith('/vast')) response.writeHead(200).end(Buffer.alloc(10 * MEGABYTE));
    else response.writeHead(Number(/\d{3}/.exec(path)?.[0] ?? 204)).end();
  });

/** An administrator’s actions on the webhooks of one gateway. */
function handOf({ admin, store }: Pick<TestGateway, 'admin' | 'store'>) {
  const path = (id: number, verb: string) => `/api/webhooks/${id}${verb}`;
  const deliveries = async ({ id }: Webhook) =>
    (await admin.call<Delivery[]>('GET', path(id, '/deliveries'))).body;
  const { webhook_deliveries, webhooks } = store.tables;
  return {
    deliveries,

    async add(input: { url: string } & Record<string, unknown>): Promise<Webhook> {
      // It receives only what the test sends.
      const own = { name: 'hook', events: ['server_deleted'], ...input };
      const { status, body } = await admin.call<Webhook>('POST', '/api/webhooks', own);
      if (status !== 201) throw new Error(`Webhook not created: ${JSON.stringify(body)}`);
      return body;
    },

    put: ({ id }: Webhook, patch: object) => admin.call('PUT', path(id, ''), patch),
    remove: ({ id }: Webhook) => admin.call('DELETE', path(id, '')),
    test: ({ id }: Webhook) => admin.call('POST', path(id, '/test')),
    replay: ({ id }: Delivery) =>
      admin.call<Delivery>('POST', path(id, '/replay').replace(/(\d)/, 'deliveries/$1')),

    /** Like an event, but for this webhook only. */
    async fire({ id: webhook_id }: Webhook, count = 1): Promise<void> {
      const at = new Date().toISOString();
      const data = { name: 'box', id: 7, by: 'admin', hostname: 'h' };
      const moment = { fired_at: at, created_at: at, next_attempt_at: at };
      const row = {
        webhook_id,
        event: 'server_deleted',
        status: 'pending',
        attempts: 0,
        data,
        ...moment,
      } as const;
      await store.db.insert(webhook_deliveries).values(Array.from({ length: count }, () => row));
    },

    ended: (webhook: Webhook) =>
      eventually(async () => {
        const all = await deliveries(webhook);
        const open = all.filter(({ status, attempts }) => status === 'pending' && attempts === 0);
        if (all.length === 0 || open.length > 0) throw new Error(`${open.length} are not tried yet`);
        return all;
      }),

    get: async ({ id }: Webhook) =>
      (await admin.call<Webhook[]>('GET', '/api/webhooks')).body.find((one) => one.id === id),

    /** Makes pending retries due now. */
    hurry: ({ id }: Webhook) =>
      store.db
        .update(webhook_deliveries)
        .set({ next_attempt_at: PAST })
        .where(eq(webhook_deliveries.webhook_id, id)),

    async spoilSecret({ id }: Webhook): Promise<void> {
      const sealed = { secret_sealed: 'v2:lost:AAAA:AAAA' };
      await store.db.update(webhooks).set(sealed).where(eq(webhooks.id, id));
    },

    async lease({ id }: Webhook) {
      const rows = await store.db
        .select()
        .from(webhook_deliveries)
        .where(eq(webhook_deliveries.webhook_id, id));
      return rows.map(({ leased_by, leased_until, attempts }) => ({ leased_by, leased_until, attempts }));
    },
  };
}

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startObedientReceiver();
});
afterAll(() => receiver?.stop());

let paths = 0;

/** A webhook that no other test uses. */
function freshUrl(kind = 'ok') {
  paths += 1;
  const path = `/${kind}/x${paths}`;
  return { path, url: receiver.url(path) };
}

describeEachGateway(
  'A delivery',
  (gateway) => {
    let hand: ReturnType<typeof handOf>;
    beforeAll(() => {
      hand = handOf(gateway());
    });

    it('of a test is a signed POST with the specified headers, to that webhook only', async () => {
      const { path, url } = freshUrl();
      const other = await hand.add({ url: freshUrl().url, events: ['*'] });
      const webhook = await hand.add({ name: 'chat', url, secret: 'hush' });
      expect((await hand.test(webhook)).body).toEqual({ queued: true });
      const [received] = await receiver.hears(path);
      const [delivery] = await hand.ended(webhook);
      if (!received) throw new Error('Nothing came');
      expect(eventOf(received)).toEqual({
        event: 'test',
        timestamp: expect.stringMatching(INSTANT),
        data: { webhook_id: webhook.id, name: 'chat', triggered_by: 'admin' },
      });
      expect(received.headers).toEqual({
        'content-type': 'application/json',
        'user-agent': 'service-webhook/1.0',
        'x-service-signature': signatureOf('hush', received.body),
        'x-service-delivery': String(delivery?.id),
        'content-length': String(Buffer.byteLength(received.body)),
        host: `127.0.0.1:${receiver.port}`,
        connection: 'close',
      });
      expect((await hand.deliveries(other)).filter(({ event }) => event === 'test')).toEqual([]);
    });

    it('answered with 2xx is delivered, and the webhook shows when and with which status', async () => {
      const webhook = await hand.add({ url: freshUrl('202').url });
      await hand.test(webhook);
      const [delivery] = await hand.ended(webhook);
      const moment = expect.stringMatching(INSTANT);
      expect(delivery).toEqual({
        id: expect.any(Number),
        event: 'test',
        status: 'delivered',
        attempts: 1,
        last_status: 202,
        last_error: null,
        replay_of: null,
        created_at: moment,
        delivered_at: moment,
        next_attempt_at: null,
      });
      expect(await hand.get(webhook)).toMatchObject({ last_status: 202, last_fired_at: moment });
    });

    it('is not signed without a secret', async () => {
      const { path, url } = freshUrl();
      await hand.test(await hand.add({ url }));
      const [received] = await receiver.hears(path);
      expect(Object.keys(received?.headers ?? {}).filter((name) => name.includes('signature'))).toEqual([]);
    });

    it('is signed with both secrets after a change', async () => {
      const { path, url } = freshUrl();
      const webhook = await hand.add({ url, secret: 'old' });
      await hand.put(webhook, { secret: 'new' });
      await hand.test(webhook);
      const [received] = await receiver.hears(path);
      const body = received?.body ?? '';
      expect(received?.headers['x-service-signature']).toBe(signatureOf('new', body));
      expect(received?.headers['x-service-signature-previous']).toBe(signatureOf('old', body));
    });

    it.each(['429', '500', '503'])('answered with %s is retried with the same bytes and id', async (kind) => {
      const { path, url } = freshUrl(kind);
      const webhook = await hand.add({ url, secret: 'hush' });
      await hand.fire(webhook);
      const began_ms = Date.now();
      await hand.test(webhook);
      const first = (await hand.ended(webhook)).find(({ event }) => event === 'server_deleted');
      const in_s = (Date.parse(first?.next_attempt_at ?? '') - began_ms) / 1000;
      expect(first).toMatchObject({ status: 'pending', attempts: 1, last_status: Number(kind) });
      expect(in_s).toBeGreaterThan(3.9);
      await hand.hurry(webhook);
      await hand.test(webhook); // It wakes the delivery.
      const all = await receiver.hears(path, 5);
      const same = all.filter(({ headers }) => headers['x-service-delivery'] === String(first?.id));
      expect(same).toHaveLength(2);
      expect([same[1]?.body, same[1]?.headers]).toEqual([same[0]?.body, same[0]?.headers]);
      expect(same[0]?.body).toContain('"data":{"id":7,"name":"box","hostname":"h","by":"admin"}');
    });

    it('is attempted six times in all', async () => {
      const { path, url } = freshUrl('500');
      const webhook = await hand.add({ url });
      await hand.test(webhook);
      for (let attempt = 1; attempt < 6; attempt += 1) {
        await eventually(async () => expect((await hand.deliveries(webhook))[0]?.attempts).toBe(attempt));
        await hand.hurry(webhook);
        await hand.test(await hand.add({ url: freshUrl().url })); // It wakes the delivery.
      }
      await eventually(async () => {
        const over = { status: 'failed', attempts: 6, last_status: 500, next_attempt_at: null };
        expect((await hand.deliveries(webhook))[0]).toMatchObject(over);
      });
      expect(receiver.received(path)).toHaveLength(6);
    });

    it.each(['301', '400', '401', '404', '410'])('answered with %s fails at once', async (kind) => {
      const webhook = await hand.add({ url: freshUrl(kind).url });
      await hand.test(webhook);
      const [delivery] = await hand.ended(webhook);
      const over = { status: 'failed', attempts: 1, next_attempt_at: null, delivered_at: null };
      expect(delivery).toMatchObject({ ...over, last_status: Number(kind) });
      expect(delivery?.last_error).toContain(kind);
    });

    it('does not follow a redirect', async () => {
      const webhook = await hand.add({ url: freshUrl('elsewhere').url });
      await hand.test(webhook);
      const [delivery] = await hand.ended(webhook);
      expect(delivery).toMatchObject({ status: 'failed', last_status: 302 });
      expect(receiver.received('/hidden')).toEqual([]);
    });

    it('that is replayed has the same bytes and a new id', async () => {
      const { path, url } = freshUrl();
      const webhook = await hand.add({ url });
      await hand.fire(webhook);
      await hand.test(await hand.add({ url: freshUrl().url })); // It wakes the delivery.
      const [original] = await hand.ended(webhook);
      if (!original) throw new Error('There is no delivery');
      const { status, body } = await hand.replay(original);
      expect([status, body.replay_of, body.status, body.event]).toEqual([
        200,
        original.id,
        'pending',
        'server_deleted',
      ]);
      const [first, again] = await receiver.hears(path, 2);
      expect(again?.body).toBe(first?.body);
      expect(again?.headers['x-service-delivery']).toBe(String(body.id));
      expect(body.id).not.toBe(original.id);
    });

    it('is not replayed with an unknown id', async () => {
      const { status, body } = await gateway().admin.call(
        'POST',
        '/api/webhooks/deliveries/2147483647/replay',
      );
      expect([status, body['code']]).toEqual([404, 'delivery_not_found']);
    });

    it('to a disabled webhook waits until it is enabled again, except tests', async () => {
      const { path, url } = freshUrl();
      const webhook = await hand.add({ url, enabled: false });
      await hand.fire(webhook);
      await hand.test(webhook);
      const [first] = await receiver.hears(path);
      expect(first && eventOf(first).event).toBe('test');
      expect((await hand.deliveries(webhook)).map(({ status }) => status)).toContain('pending');
      await hand.put(webhook, { enabled: true });
      await hand.test(webhook);
      const events = (await receiver.hears(path, 3)).map((one) => eventOf(one).event);
      expect(events.sort()).toEqual(['server_deleted', 'test', 'test']);
    });

    it('waits when the secret cannot be opened, and says so', async () => {
      const { path, url } = freshUrl();
      const webhook = await hand.add({ url, secret: 'hush' });
      await hand.spoilSecret(webhook);
      await hand.test(webhook);
      await eventually(async () => {
        const [delivery] = await hand.deliveries(webhook);
        expect(delivery).toMatchObject({ status: 'pending', attempts: 1, last_status: null });
        expect(delivery?.last_error).toMatch(/secret .* cannot be opened/);
      });
      expect(receiver.received(path)).toEqual([]);
    });

    it('is not delayed by receivers that are slow, dead or hostile', async () => {
      const silent = await startSilentPeer();
      const closing = await startTalkingPeer('', { hang_up: true });
      const endless = await startTalkingPeer(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(100_000)}`);
      for (const peer of [silent, closing, endless]) onTestFinished(() => peer.stop());
      const { path, url } = freshUrl();
      const good = await hand.add({ url });
      const bad = [silent, closing, endless].map(({ port }) => `http://127.0.0.1:${port}/`);
      const strange = await Promise.all([...bad, freshUrl('vast').url].map((to) => hand.add({ url: to })));
      const [hangs, hangs_up, overflows, vast] = strange;
      if (!hangs || !hangs_up || !overflows || !vast) throw new Error('There are four');
      for (const webhook of [good, ...strange]) await hand.fire(webhook, 12);
      await hand.test(good);
      await receiver.hears(path, 13);
      // Queued behind the silent one, it would have waited for all twelve timeouts.
      const timed_out = (await hand.deliveries(hangs)).filter(({ attempts }) => attempts > 0);
      expect(timed_out.length).toBeLessThan(4);
      const errorOf = async (webhook: Webhook) => (await hand.deliveries(webhook)).at(-1)?.last_error;
      await eventually(async () => {
        expect(await errorOf(hangs_up)).toBe('The connection was closed without a response');
        expect(await errorOf(overflows)).toBe('The response header is too large');
        expect((await hand.deliveries(vast)).at(-1)).toMatchObject({ status: 'delivered' });
      });
      for (const webhook of strange) await hand.remove(webhook);
    });
  },
  ALLOW_PRIVATE,
);

describe.each(DIALECTS)('A gateway (%s)', (dialect) => {
  it('sends nothing to a private address that was stored while that was allowed', async () => {
    const { url: database_url, cleanup } = await migratedDatabaseUrl(dialect);
    onTestFinished(cleanup);
    const gateway = await startGateway({ database_url });
    onTestFinished(gateway.close);
    const hand = handOf(gateway);
    const silent = await startSilentPeer();
    onTestFinished(() => silent.stop());
    const webhook = await hand.add({ url: 'https://hooks.invalid/' });
    const { webhooks } = gateway.store.tables;
    await gateway.store.db.update(webhooks).set({ url: `https://127.0.0.1:${silent.port}/` });
    await hand.test(webhook);
    const [delivery] = await hand.ended(webhook);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, last_status: null });
    expect(delivery?.last_error).toContain('settings can allow private');
    expect(silent.open()).toBe(0);
  });

  it('that stops releases deliveries in progress, and the next one sends them', async () => {
    const database = await migratedDatabaseUrl(dialect);
    onTestFinished(database.cleanup);
    const silent = await startSilentPeer();
    onTestFinished(() => silent.stop());
    const first = await startGateway({ database_url: database.url, ...ALLOW_PRIVATE });
    const webhook = await handOf(first).add({ url: `http://127.0.0.1:${silent.port}/` });
    await handOf(first).test(webhook);
    await silent.connected();
    const began_ms = Date.now();
    await first.close();
    expect(Date.now() - began_ms).toBeLessThan(8000);
    await silent.idle();

    const second = await startGateway({ database_url: database.url, ...ALLOW_PRIVATE, untouched: true });
    onTestFinished(second.close);
    await silent.connected();
    const admin = await second.signIn('admin', ADMIN_PASSWORD);
    expect(await handOf({ ...second, admin }).lease(webhook)).toMatchObject([{ attempts: 0 }]);
  });
});

describe('Two gateways on one PostgreSQL', () => {
  it('deliver each event once', async () => {
    const { url: database_url, cleanup } = await migratedDatabaseUrl('postgres');
    onTestFinished(cleanup);
    const one = await startGateway({ database_url, ...ALLOW_PRIVATE });
    onTestFinished(one.close);
    const two = await startGateway({ database_url, ...ALLOW_PRIVATE, untouched: true });
    onTestFinished(two.close);
    const hands = [handOf(one), handOf({ ...two, admin: await two.signIn('admin', ADMIN_PASSWORD) })];
    const { path, url } = freshUrl();
    const hooks = await Promise.all([1, 2, 3, 4].map(() => handOf(one).add({ url })));
    for (const webhook of hooks) await handOf(one).fire(webhook, 48);
    await Promise.all(hooks.flatMap((webhook) => hands.map((hand) => hand.test(webhook))));
    const received = await receiver.hears(path, 200);
    for (const webhook of hooks) await handOf(one).ended(webhook);
    const ids = received.map(({ headers }) => headers['x-service-delivery']);
    expect([receiver.received(path).length, new Set(ids).size]).toEqual([200, 200]);
  });
});
