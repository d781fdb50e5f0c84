import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { DeliveryRow } from '#core/model/webhooks/webhook.ts';
import type { NewDeliveryRow, NewWebhookRow } from '#core/ports/repositories/webhooks.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { AT, LATER, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore, type Fresh } from '../../support/databases/stores.ts';

const LEASE_MS = 30_000;
const PAST = '2020-01-01T00:00:00.000Z';

function webhookRow(change: Partial<NewWebhookRow> = {}): NewWebhookRow {
  return {
    name: 'chat',
    url: 'https://hooks.example.com/',
    events: ['*'],
    enabled: true,
    secret_sealed: null,
    previous_secret_sealed: null,
    previous_secret_until: null,
    created_at: AT,
    updated_at: AT,
    ...change,
  };
}

function deliveryRow(webhook_id: number, change: Partial<NewDeliveryRow> = {}): NewDeliveryRow {
  const data = { username: 'ada', user_id: 1, ip: '192.0.2.1' };
  return {
    webhook_id,
    event: 'user_login',
    fired_at: AT,
    subject_id: null,
    data,
    replay_of: null,
    ...change,
  };
}

async function prepare(fresh: Fresh) {
  const store = await fresh.migrated();
  const repositories = createRepositories(store);
  return { store, ...repositories };
}

/** One webhook with the given number of due deliveries. */
async function deliverable({ webhooks, deliveries }: Repositories, count = 1) {
  const webhook = await webhooks.insert(webhookRow(), 9);
  const ids: number[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await deliveries.insert(deliveryRow(webhook.id))).id);
  return { webhook, ids };
}

function take({ deliveries }: Pick<Repositories, 'deliveries'>, webhook_ids: number[], more: object = {}) {
  const shares = webhook_ids.map((webhook_id) => ({ webhook_id, most: 4 }));
  return deliveries.take({ holder: 'one', lease_ms: LEASE_MS, limit: 20, shares, ...more });
}

const DONE = { last_status: 204, last_error: null, next_attempt_in_ms: null, at: LATER } as const;
const DELIVERED = { status: 'delivered', ...DONE } as const;

async function endLeases({ db, tables }: Store): Promise<void> {
  await db.update(tables.webhook_deliveries).set({ leased_until: PAST });
}

describeEachStore('webhooks', (fresh) => {
  it('are stored as given, each with its own id', async () => {
    const { webhooks } = await prepare(fresh);
    const row = webhookRow({ name: 'ünï 🐎', events: ['user_login'], secret_sealed: 's', enabled: false });
    const webhook = await webhooks.insert(row, 9);
    expect(webhook).toEqual({ id: 1, ...row, last_fired_at: null, last_status: null });
    expect(await webhooks.byId(1)).toEqual(webhook);
    expect(await webhooks.byId(2)).toBeUndefined();
  });

  it('are listed by name ignoring case', async () => {
    const { webhooks } = await prepare(fresh);
    for (const name of ['b', 'C', 'A']) await webhooks.insert(webhookRow({ name }), 9);
    expect((await webhooks.list()).map(({ name }) => name)).toEqual(['A', 'b', 'C']);
  });

  it('change only the given fields, and are found by their new subscription', async () => {
    const { webhooks, store } = await prepare(fresh);
    const webhook = await webhooks.insert(webhookRow(), 9);
    const events = ['user_login', 'sftp_delete'];
    expect(await webhooks.update(1, { events })).toEqual({ ...webhook, events });
    expect(await webhooks.update(1, {})).toEqual({ ...webhook, events });
    expect(await webhooks.update(9, { events })).toBeUndefined();
    const { subscription } = store.tables.webhooks;
    const rows = await store.db.select({ subscription }).from(store.tables.webhooks);
    expect(rows).toEqual([{ subscription: '|user_login|sftp_delete|' }]);
  });

  it('are not changed when the secret has changed in the meantime', async () => {
    const { webhooks } = await prepare(fresh);
    await webhooks.insert(webhookRow({ secret_sealed: 'a' }), 9);
    expect(await webhooks.update(1, { secret_sealed: 'b' }, null)).toBeUndefined();
    expect(await webhooks.update(1, { secret_sealed: null }, 'a')).toMatchObject({ secret_sealed: null });
    expect(await webhooks.update(1, { secret_sealed: 'c' }, 'a')).toBeUndefined();
    expect(await webhooks.update(1, { secret_sealed: 'c' }, null)).toMatchObject({ secret_sealed: 'c' });
  });

  it('are removed once, with their deliveries', async () => {
    const { webhooks, deliveries, ...rest } = await prepare(fresh);
    const { ids } = await deliverable({ webhooks, deliveries, ...rest });
    expect(await webhooks.remove(1)).toBe(true);
    expect(await webhooks.remove(1)).toBe(false);
    expect(await deliveries.byId(ids[0] ?? 0)).toBeUndefined();
    await expect(deliveries.insert(deliveryRow(1))).rejects.toMatchObject({ code: 'webhook_not_found' });
  });

  it('are limited, even when many are created at once', async () => {
    const [one, two] = await twoInstances(fresh);
    const insert = (i: number) => (i % 2 ? one : two).webhooks.insert(webhookRow({ enabled: i % 3 > 0 }), 5);
    const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => insert(i)));
    const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons).toHaveLength(15);
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'too_many_webhooks' });
    expect(await one.webhooks.list()).toHaveLength(5);
  });
});

/** As a list returns it. */
const untold = (row: DeliveryRow): DeliveryRow => ({ ...row, data: null });

describeEachStore('deliveries', (fresh) => {
  it('are stored as given and due at once, newest first', async () => {
    const { webhooks, deliveries } = await prepare(fresh);
    await webhooks.insert(webhookRow(), 9);
    const row = deliveryRow(1, { subject_id: 7, data: { name: 'ü', paths: ['/a', '/b'] } });
    const first = await deliveries.insert(row);
    const now = expect.stringMatching(/Z$/);
    const begun = { attempts: 0, status: 'pending', created_at: now, next_attempt_at: now };
    const open = { last_status: null, last_error: null, delivered_at: null };
    expect(first).toEqual({ id: 1, ...row, ...begun, ...open });
    const second = await deliveries.insert(deliveryRow(1, { replay_of: 1 }));
    expect(await deliveries.page(1, { limit: 9, offset: 0 })).toEqual([untold(second), untold(first)]);
    expect(await deliveries.page(1, { limit: 9, offset: 1 })).toEqual([untold(first)]);
    const none = { since: '2999-01-01T00:00:00.000Z' };
    expect(await deliveries.page(1, { limit: 9, offset: 0 }, none)).toEqual([]);
    expect(await deliveries.count(1, { ...none, status: 'failed' })).toBe(0);
    expect(await deliveries.count(1, { event: first.event, status: first.status })).toBeGreaterThan(0);
    expect([await deliveries.count(1), await deliveries.count(2)]).toEqual([2, 0]);
    expect(await deliveries.byId(1)).toEqual(first);
  });

  it('are leased once, together with their webhook', async () => {
    const repositories = await prepare(fresh);
    const { webhook, ids } = await deliverable(repositories, 2);
    expect(await repositories.deliveries.waiting()).toEqual([webhook.id]);
    const taken = await take(repositories, [webhook.id]);
    expect(taken.map(({ delivery }) => delivery.id).sort()).toEqual(ids);
    expect(taken[0]?.webhook).toEqual(webhook);
    expect(await repositories.deliveries.waiting()).toEqual([]);
    expect(await take(repositories, [webhook.id], { holder: 'two' })).toEqual([]);
    expect(await take(repositories, [])).toEqual([]);
  });

  it('are leased once, even by several instances at once', async () => {
    const [one, two] = await twoInstances(fresh);
    const { webhook, ids } = await deliverable(one, 40);
    const takes = Array.from({ length: 20 }, (_, i) =>
      take(i % 2 ? one : two, [webhook.id], { holder: `${i}` }),
    );
    const taken = (await Promise.all(takes)).flat().map(({ delivery }) => delivery.id);
    expect(taken.sort((a, b) => a - b)).toEqual(ids);
  });

  it('are leased in rotation, and no more of one webhook than its share', async () => {
    const { webhooks, deliveries } = await prepare(fresh);
    for (let webhook_id = 1; webhook_id <= 3; webhook_id += 1) {
      await webhooks.insert(webhookRow(), 9);
      for (let i = 0; i < 5; i += 1) await deliveries.insert(deliveryRow(webhook_id));
    }
    const shares = [
      { webhook_id: 1, most: 4 },
      { webhook_id: 2, most: 1 },
      { webhook_id: 3, most: 2 },
    ];
    const taken = await deliveries.take({ holder: 'one', lease_ms: LEASE_MS, limit: 5, shares });
    const webhook_ids = taken.map(({ delivery }) => delivery.webhook_id).sort();
    expect(webhook_ids).toEqual([1, 1, 2, 3, 3]);
  });

  it('of a disabled webhook wait, except tests', async () => {
    const { webhooks, deliveries } = await prepare(fresh);
    await webhooks.insert(webhookRow({ enabled: false }), 9);
    await deliveries.insert(deliveryRow(1));
    expect(await deliveries.waiting()).toEqual([]);
    await deliveries.insert(deliveryRow(1, { event: 'test' }));
    expect(await deliveries.waiting()).toEqual([1]);
    expect((await take({ deliveries }, [1])).map(({ delivery }) => delivery.event)).toEqual(['test']);
    await webhooks.update(1, { enabled: true });
    expect((await take({ deliveries }, [1])).map(({ delivery }) => delivery.event)).toEqual(['user_login']);
  });

  it('are leased again when their holder is gone, which can no longer settle them', async () => {
    const repositories = await prepare(fresh);
    const { webhook, ids } = await deliverable(repositories);
    const [id = 0] = ids;
    await take(repositories, [webhook.id]);
    await endLeases(repositories.store);
    expect(await take(repositories, [webhook.id], { holder: 'two' })).toHaveLength(1);
    const { deliveries } = repositories;
    expect(await deliveries.settle({ id, attempts: 0, holder: 'one' }, DELIVERED)).toBe(false);
    expect(await deliveries.byId(id)).toMatchObject({ status: 'pending', attempts: 0 });
    expect((await repositories.webhooks.byId(webhook.id))?.last_fired_at).toBeNull();
    expect(await deliveries.settle({ id, attempts: 0, holder: 'two' }, DELIVERED)).toBe(true);
  });

  it('are settled once, and update their webhook', async () => {
    const repositories = await prepare(fresh);
    const { webhook, ids } = await deliverable(repositories);
    const [id = 0] = ids;
    await take(repositories, [webhook.id]);
    const lease = { id, attempts: 0, holder: 'one' };
    for (let round = 0; round < 2; round += 1) {
      expect(await repositories.deliveries.settle(lease, DELIVERED)).toBe(true);
      const end = { status: 'delivered', attempts: 1, last_status: 204, last_error: null };
      const over = { ...end, delivered_at: LATER, next_attempt_at: null };
      expect(await repositories.deliveries.byId(id)).toMatchObject(over);
    }
    const told = { last_fired_at: LATER, last_status: 204 };
    expect(await repositories.webhooks.byId(webhook.id)).toEqual({ ...webhook, ...told });
  });

  it('do not overwrite the webhook’s result of a later delivery', async () => {
    const repositories = await prepare(fresh);
    const { webhook, ids } = await deliverable(repositories, 2);
    await take(repositories, [webhook.id]);
    const [first = 0, second = 0] = ids;
    const settle = (id: number, outcome: object) =>
      repositories.deliveries.settle({ id, attempts: 0, holder: 'one' }, { ...DELIVERED, ...outcome });
    await settle(second, { at: LATER });
    expect(await settle(first, { at: AT, last_status: 200 })).toBe(true);
    const told = { last_fired_at: LATER, last_status: 204 };
    expect(await repositories.webhooks.byId(webhook.id)).toMatchObject(told);
  });

  it('wait for their next attempt', async () => {
    const repositories = await prepare(fresh);
    const { deliveries, store } = repositories;
    const { webhook, ids } = await deliverable(repositories);
    const [id = 0] = ids;
    expect(await deliveries.nextDue()).toBeUndefined();
    await take(repositories, [webhook.id]);
    const again = { status: 'pending', last_error: 'no', next_attempt_in_ms: 60_000 } as const;
    await deliveries.settle({ id, attempts: 0, holder: 'one' }, { ...DONE, ...again });
    expect(await deliveries.waiting()).toEqual([]);
    expect(await deliveries.nextDue()).toBeGreaterThan(50_000);
    expect(await deliveries.nextDue()).toBeLessThanOrEqual(60_000);
    await store.db.update(store.tables.webhook_deliveries).set({ next_attempt_at: PAST });
    const [taken] = await take(repositories, [webhook.id]);
    expect(taken?.delivery).toMatchObject({ id, attempts: 1, last_error: 'no' });
  });

  it('are released only by their holder', async () => {
    const repositories = await prepare(fresh);
    const { webhook, ids } = await deliverable(repositories);
    const [id = 0] = ids;
    await take(repositories, [webhook.id]);
    await repositories.deliveries.release(id, 'two');
    expect(await repositories.deliveries.waiting()).toEqual([]);
    await repositories.deliveries.release(id, 'one');
    expect(await take(repositories, [webhook.id], { holder: 'two' })).toHaveLength(1);
  });

  it('wait longest for the webhooks that are named first', async () => {
    const { webhooks, deliveries, store } = await prepare(fresh);
    for (let i = 0; i < 2; i += 1) await webhooks.insert(webhookRow(), 9);
    await deliveries.insert(deliveryRow(1));
    const { id } = await deliveries.insert(deliveryRow(2));
    const { webhook_deliveries } = store.tables;
    await store.db
      .update(webhook_deliveries)
      .set({ next_attempt_at: PAST })
      .where(eq(webhook_deliveries.id, id));
    expect(await deliveries.waiting()).toEqual([2, 1]);
  });

  it('are removed by age', async () => {
    const repositories = await prepare(fresh);
    const { deliveries, store } = repositories;
    const { webhook, ids } = await deliverable(repositories, 3);
    const { webhook_deliveries } = store.tables;
    const first = eq(webhook_deliveries.id, ids[0] ?? 0);
    await store.db.update(webhook_deliveries).set({ created_at: PAST }).where(first);
    await deliveries.removeOlder(AT);
    const left = await deliveries.page(webhook.id, { limit: 9, offset: 0 });
    expect(left.map(({ id }) => id).reverse()).toEqual(ids.slice(1));
  });

  it('fail, oldest first, when one webhook has too many, except those in progress', async () => {
    const repositories = await prepare(fresh);
    const { deliveries } = repositories;
    const { webhook, ids } = await deliverable(repositories, 6);
    await deliverable(repositories, 3);
    const shares = [{ webhook_id: webhook.id, most: 1 }];
    await take(repositories, [], { shares });
    await deliveries.failExcess(3, 'too many waiting');
    const ends = await deliveries.page(webhook.id, { limit: 9, offset: 0 });
    const pending = ends.filter(({ status }) => status === 'pending').map(({ id }) => id);
    expect(pending.reverse()).toEqual([ids[0], ...ids.slice(3)]);
    const failed = ends.find(({ status }) => status === 'failed');
    expect(failed).toMatchObject({ last_error: 'too many waiting', next_attempt_at: null });
    expect(await deliveries.waiting()).toHaveLength(2);
  });

  it('are dropped when their webhook is disabled, except a test', async () => {
    const { store, ...repositories } = await prepare(fresh);
    const { webhook } = await deliverable(repositories, 2);
    await repositories.deliveries.insert(deliveryRow(webhook.id, { event: 'test' }));
    await repositories.webhooks.update(webhook.id, { enabled: false });
    const rows = await repositories.deliveries.page(webhook.id, { limit: 9, offset: 0 });
    expect(rows.map(({ event, status, last_error }) => [event, status, last_error])).toEqual([
      ['test', 'pending', null],
      ['user_login', 'failed', 'The webhook was switched off'],
      ['user_login', 'failed', 'The webhook was switched off'],
    ]);
  });
});
