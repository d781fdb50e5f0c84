import { describe, expect, it } from 'vitest';
import { createChanges } from '#core/instances/changes.ts';
import { createBell } from '#core/lib/concurrency/bell.ts';
import type { DeliveryRow, WebhookRow } from '#core/model/webhooks/webhook.ts';
import { createMeter } from '#core/overview/meter.ts';
import { ExchangeFailed, type Outbound } from '#core/ports/outside.ts';
import type { DeliveryOutcome, DeliveryRepository } from '#core/ports/repositories/webhooks.ts';
import { startWebhookDelivery } from '#core/webhooks/delivery.ts';
import type { WebhookSecrets } from '#core/webhooks/secrets.ts';
import { keepLog } from '../../support/gateway/logs.ts';
import { handClock } from '../../support/hand-clock.ts';

const AT = '2026-01-02T03:04:05.678Z';

function webhookOf(id: number): WebhookRow {
  return {
    id,
    name: `hook ${id}`,
    url: `https://hooks.test/${id}`,
    events: ['*'],
    enabled: true,
    secret_sealed: null,
    previous_secret_sealed: null,
    previous_secret_until: null,
    last_fired_at: null,
    last_status: null,
    created_at: AT,
    updated_at: AT,
  };
}

function deliveryOf(id: number, webhook_id: number): DeliveryRow {
  return {
    id,
    webhook_id,
    event: 'user_login',
    fired_at: AT,
    subject_id: null,
    data: {},
    status: 'pending',
    attempts: 0,
    last_status: null,
    last_error: null,
    replay_of: null,
    created_at: AT,
    delivered_at: null,
    next_attempt_at: AT,
  };
}

/** An outbox in memory: pending and leased deliveries, and how each ended. */
function outbox() {
  const clock = handClock();
  const waits: DeliveryRow[] = [];
  const taken = new Set<number>();
  const ended: [number, DeliveryOutcome][] = [];
  const released: number[] = [];
  const hooks = new Map<number, Partial<WebhookRow>>();
  const database = { is_away: false, next_due_ms: undefined as number | undefined };
  const answer = async <T>(value: T) => {
    if (database.is_away) throw new Error('away');
    return value;
  };
  const free = () => waits.filter(({ id }) => !taken.has(id));
  const deliveries: Pick<DeliveryRepository, 'waiting' | 'take' | 'settle' | 'release' | 'nextDue'> = {
    waiting: () => answer([...new Set(free().map(({ webhook_id }) => webhook_id))]),
    async take({ limit, shares }) {
      await answer(undefined);
      const some = shares.flatMap(({ webhook_id, most }) =>
        free()
          .filter((row) => row.webhook_id === webhook_id)
          .slice(0, most),
      );
      const leased = some.slice(0, limit);
      for (const { id } of leased) taken.add(id);
      return leased.map((delivery) => {
        const { webhook_id } = delivery;
        return { delivery, webhook: { ...webhookOf(webhook_id), ...hooks.get(webhook_id) } };
      });
    },
    async settle({ id }, outcome) {
      await answer(undefined);
      ended.push([id, outcome]);
      waits.splice(
        waits.findIndex((row) => row.id === id),
        1,
      );
      return true;
    },
    async release(id) {
      await answer(undefined);
      released.push(id);
    },
    nextDue: () => answer(database.next_due_ms),
  };
  return { clock, waits, taken, ended, released, hooks, database, deliveries };
}

type Post = Outbound['post'];

function setUp(
  post: Post,
  open: WebhookSecrets['open'] = async () => ({ present: undefined, previous: undefined }),
) {
  const { clock, deliveries, ...box } = outbox();
  const log = keepLog();
  const bell = createBell();
  const changes = createChanges(clock);
  const meter = createMeter();
  const running = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const unused = () => Promise.reject(new Error('not asked for'));
  const stop = startWebhookDelivery({
    repositories: {
      deliveries: {
        ...deliveries,
        ...{ page: unused, count: unused, byId: unused, insert: unused },
        ...{ removeOlder: unused, failExcess: unused },
      },
    },
    secrets: { first: unused, replace: unused, open },
    outbound: { objection: () => undefined, post },
    bell,
    changes,
    meter,
    clock,
    log,
    background: {
      run(_what, work) {
        const tracked = work
          .catch((error: unknown) => failures.push(error))
          .finally(() => running.delete(tracked));
        running.add(tracked);
      },
    },
  });
  const queue = (count: number, webhook_id = 1) => {
    for (let i = 0; i < count; i += 1)
      box.waits.push(deliveryOf(box.waits.length + 1 + webhook_id * 100, webhook_id));
    bell.ring();
  };
  return { ...box, clock, log, bell, changes, meter, running, failures, stop, queue };
}

const accepted: Post = async () => ({ status: 204 });

/** Resolves when its signal aborts. */
const hanging: Post = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));

describe('The webhook delivery', () => {
  it('sends pending deliveries when it is woken, and stores their outcome', async () => {
    const { queue, clock, ended, meter, failures } = setUp(accepted);
    await clock.pass(100);
    queue(9);
    await clock.pass(100);
    expect(ended).toHaveLength(9);
    const [, outcome] = ended[0] ?? [];
    expect(outcome).toMatchObject({ status: 'delivered', last_status: 204, at: expect.stringMatching(/Z$/) });
    expect([meter.total('webhook_delivered'), failures]).toEqual([9, []]);
  });

  it('polls every five seconds for deliveries that others have left', async () => {
    const { waits, clock, ended } = setUp(accepted);
    await clock.pass(100);
    waits.push(deliveryOf(1, 1));
    await clock.pass(4000);
    expect(ended).toEqual([]);
    await clock.pass(1500);
    expect(ended).toHaveLength(1);
  });

  it('polls again when the next delivery is due', async () => {
    const { waits, database, bell, clock, ended } = setUp(accepted);
    database.next_due_ms = 700;
    bell.ring();
    await clock.pass(100);
    waits.push(deliveryOf(1, 1));
    await clock.pass(400);
    expect(ended).toEqual([]);
    await clock.pass(400);
    expect(ended).toHaveLength(1);
  });

  it('does not let receivers that never answer delay the others, however many there are', async () => {
    const { queue, clock, ended } = setUp((input) =>
      input.url.endsWith('/99') ? accepted(input) : hanging(input),
    );
    queue(1, 99);
    await clock.pass(100);
    for (let webhook_id = 1; webhook_id <= 15; webhook_id += 1) queue(5, webhook_id);
    await clock.pass(100);
    queue(9, 99);
    await clock.pass(300);
    expect(ended.map(([, { status }]) => status)).toEqual(Array(10).fill('delivered'));
  });

  it('sends at most twenty at once', async () => {
    let now = 0;
    let most = 0;
    const { queue, clock, ended } = setUp(async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return { status: 200 };
    });
    for (let webhook_id = 1; webhook_id <= 30; webhook_id += 1) queue(6, webhook_id);
    await clock.pass(10_000);
    expect([ended.length, most]).toEqual([180, 20]);
  });

  it('stores what failed and why, without address or body', async () => {
    const { queue, clock, ended, meter, log } = setUp(async () => {
      throw new ExchangeFailed('The address is not a public one', { is_final: true });
    });
    queue(1);
    await clock.pass(100);
    expect(ended[0]?.[1]).toMatchObject({ status: 'failed', last_error: 'The address is not a public one' });
    expect(meter.total('webhook_failed')).toBe(1);
    expect(log.lines.join()).not.toContain('hooks.test');
  });

  it('continues after an unexpected error', async () => {
    const { queue, clock, ended, meter } = setUp(async () => {
      throw new TypeError('oops');
    });
    queue(1);
    await clock.pass(100);
    expect(ended[0]?.[1]).toMatchObject({ status: 'pending', last_error: 'Internal error' });
    expect(meter.total('webhook_retried')).toBe(1);
  });

  it('waits, and sends nothing, when this instance cannot open the secret', async () => {
    let sent = 0;
    const { queue, clock, ended } = setUp(
      async () => {
        sent += 1;
        return { status: 200 };
      },
      () => Promise.reject(new Error('Sealed under another key')),
    );
    queue(1);
    await clock.pass(100);
    const last_error = 'The secret of this webhook cannot be opened: set it anew';
    expect(ended[0]?.[1]).toMatchObject({ status: 'pending', last_error });
    expect(sent).toBe(0);
  });

  it('returns a delivery whose webhook was disabled in the meantime', async () => {
    const { queue, hooks, clock, ended, released } = setUp(accepted);
    hooks.set(1, { enabled: false });
    queue(1);
    await clock.pass(100);
    expect([ended, released]).toEqual([[], [101]]);
  });

  it('logs a database outage once, and continues when it is back', async () => {
    const { queue, database, clock, ended, log, failures } = setUp(accepted);
    database.is_away = true;
    queue(2);
    await clock.pass(20_000);
    database.is_away = false;
    await clock.pass(6000);
    expect(ended).toHaveLength(2);
    expect(log.lines.filter((line) => line.includes('is paused'))).toHaveLength(1);
    expect(log.lines.filter((line) => line.includes('again'))).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  it('sends nothing twice when the database failed during a delivery', async () => {
    let sent = 0;
    const scene = setUp(async () => {
      sent += 1;
      scene.database.is_away = true;
      return { status: 200 };
    });
    scene.queue(1);
    await scene.clock.pass(40_000);
    scene.taken.clear(); // The lease has expired.
    scene.database.is_away = false;
    await scene.clock.pass(6000);
    expect([sent, scene.ended.length]).toEqual([1, 1]);
  });

  it('aborts and returns deliveries in progress when it stops, and starts none', async () => {
    const { queue, clock, stop, running, ended, released, bell } = setUp(hanging);
    queue(1, 1);
    queue(1, 2);
    await clock.pass(100);
    stop();
    queue(1, 3);
    await Promise.all(running);
    bell.ring();
    await clock.pass(20_000);
    expect([ended, released.sort()]).toEqual([[], [101, 202]]);
    expect(clock.timers()).toBe(0);
  });
});
