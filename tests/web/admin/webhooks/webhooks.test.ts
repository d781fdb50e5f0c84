import { describe, expect, it } from 'vitest';
import { EventKind } from '../../../../apps/core/model/webhooks/event.ts';
import {
  DELIVERIES_PAGE,
  type Delivery,
  draftOf,
  hostOf,
  lastStateOf,
  patchOf,
  pollInterval,
  randomSecret,
  testOf,
  type Webhook,
} from '../../../../apps/web/admin/webhooks/webhooks.ts';
import { spanOfPage } from '../../../../apps/web/parts/page-span.ts';
import { CATALOGUES, translateTo } from '../../../support/texts.ts';

const webhook: Webhook = {
  id: 3,
  name: 'deploys',
  url: 'https://hooks.example/secret-path',
  events: ['user_login'],
  enabled: true,
  has_secret: true,
  previous_secret_until: null,
  last_fired_at: null,
  last_status: null,
  created_at: '2026-01-01T00:00:00.000Z',
};
const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const due = (after_ms: number) => new Date(NOW + after_ms).toISOString();

const delivery = (part: Partial<Delivery>): Delivery => ({
  id: 1,
  event: 'test',
  status: 'delivered',
  attempts: 1,
  last_status: 200,
  last_error: null,
  replay_of: null,
  created_at: due(0),
  delivered_at: due(0),
  next_attempt_at: null,
  ...part,
});

describe('a webhook', () => {
  it.each(Object.keys(CATALOGUES) as (keyof typeof CATALOGUES)[])(
    'has a name for each event in %s',
    (language) => {
      const t = translateTo(language);
      expect(EventKind.options.filter((kind) => t.optional(`event_${kind}`) === undefined)).toEqual([]);
    },
  );

  it('shows only the host of its URL', () => {
    expect([hostOf(webhook.url), hostOf('http://box:8080/x'), hostOf('nonsense')]).toEqual([
      ...['hooks.example', 'box:8080', 'nonsense'],
    ]);
  });

  it('keeps its secret unless a new one is typed or it is removed', () => {
    const draft = draftOf(webhook);
    expect(patchOf(draft)).not.toHaveProperty('secret');
    expect(patchOf({ ...draft, secret: 'other' }).secret).toBe('other');
    expect(patchOf({ ...draft, forget_secret: true }).secret).toBe('');
  });

  it('subscribes to all events by default, or to the chosen ones', () => {
    expect(patchOf(draftOf(undefined)).events).toEqual(['*']);
    expect(patchOf(draftOf(webhook)).events).toEqual(['user_login']);
  });

  it('generates secrets of 256 bits', () => {
    expect(randomSecret()).toMatch(/^[0-9a-f]{64}$/);
    expect(randomSecret()).not.toBe(randomSecret());
  });

  it.each([
    [null, null, 'never'],
    [due(0), null, 'unanswered'],
    [due(0), 204, 'good'],
    [due(0), 302, 'refused'],
    [due(0), 500, 'refused'],
  ] as const)('last fired %s with %s is shown as %s', (last_fired_at, last_status, state) => {
    expect(lastStateOf({ last_fired_at, last_status })).toBe(state);
  });
});

describe('deliveries', () => {
  it('are polled while one is pending, and rarely while its next attempt is far off', () => {
    const pending = (next_attempt_at: string | null) => delivery({ status: 'pending', next_attempt_at });
    expect(pollInterval([delivery({})], NOW)).toBe(false);
    expect(pollInterval([delivery({}), pending(due(1800_000))], NOW)).toBe(10_000);
    expect(pollInterval([pending(due(1800_000)), pending(due(5000))], NOW)).toBe(1000);
    expect(pollInterval([pending(null)], NOW)).toBe(1000);
  });

  it('include the test that was just requested', () => {
    const known = [delivery({ id: 9, event: 'user_login' }), delivery({ id: 8 }), delivery({ id: 4 })];
    expect(testOf(known, 4)?.id).toBe(8);
    expect(testOf(known, 8)).toBeUndefined();
  });

  it('are numbered across pages', () => {
    expect(spanOfPage(0, { each: DELIVERIES_PAGE, shown: 25, total: 30 })).toEqual({
      from: 1,
      to: 25,
      has_more: true,
    });
    expect(spanOfPage(1, { each: DELIVERIES_PAGE, shown: 5, total: 30 })).toEqual({
      from: 26,
      to: 30,
      has_more: false,
    });
  });
});
