import { describe, expect, it } from 'vitest';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createVault } from '#core/crypto/vault.ts';
import type { DeliveryRow, WebhookRow } from '#core/model/webhooks/webhook.ts';
import { webhookRequest } from '#core/webhooks/requests.ts';
import { createWebhookSecrets } from '#core/webhooks/secrets.ts';
import { handClock } from '../../support/hand-clock.ts';
import { signatureOf } from '../../support/hosts/webhook-receiver.ts';

const HOUR_MS = 3_600_000;
const AT = '2026-01-02T03:04:05.678Z';
const NONE = { present: undefined, previous: undefined };

const DELIVERY: DeliveryRow = {
  id: 12,
  webhook_id: 1,
  event: 'user_login',
  fired_at: AT,
  subject_id: null,
  data: { ip: '192.0.2.1', user_id: 3, username: 'ünï 🐎' },
  status: 'pending',
  attempts: 0,
  last_status: null,
  last_error: null,
  replay_of: null,
  created_at: AT,
  delivered_at: null,
  next_attempt_at: AT,
};

const textOf = async (change: Partial<DeliveryRow> = {}) =>
  new TextDecoder().decode((await webhookRequest({ ...DELIVERY, ...change }, NONE)).body);

describe('The request of a delivery', () => {
  it('has event, timestamp and data, in the order of the specification', async () => {
    expect(await textOf()).toBe(
      `{"event":"user_login","timestamp":"${AT}","data":{"username":"ünï 🐎","user_id":3,"ip":"192.0.2.1"}}`,
    );
  });

  it('names the row that was just created first', async () => {
    const data = { hostname: 'h', by: 'admin', name: 'box' };
    expect(await textOf({ event: 'server_added', subject_id: 7, data })).toContain(
      '"data":{"id":7,"name":"box","hostname":"h","by":"admin"}}',
    );
  });

  it('includes the fields that a later version adds', async () => {
    expect(await textOf({ data: { zone: 1, username: 'a', area: 2 } })).toContain(
      '"data":{"username":"a","area":2,"zone":1}}',
    );
  });

  it('has the same bytes on each attempt and on a replay', async () => {
    const { ip, user_id, username } = { ip: '192.0.2.1', user_id: 3, username: 'ünï 🐎' };
    const later = { id: 13, attempts: 4, replay_of: 12, data: { username, ip, user_id } };
    expect(await textOf(later)).toBe(await textOf());
  });

  it('is signed over these bytes and names the delivery', async () => {
    const { headers, body } = await webhookRequest(DELIVERY, { present: 'ké', previous: undefined });
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'service-webhook/1.0',
      'X-Service-Delivery': '12',
      'X-Service-Signature': signatureOf('ké', new TextDecoder().decode(body)),
    });
  });

  it('is also signed with the previous secret', async () => {
    const { headers, body } = await webhookRequest(DELIVERY, { present: 'new', previous: 'old' });
    const text = new TextDecoder().decode(body);
    expect(headers['X-Service-Signature']).toBe(signatureOf('new', text));
    expect(headers['X-Service-Signature-Previous']).toBe(signatureOf('old', text));
  });

  it('is not signed without a secret', async () => {
    const { headers } = await webhookRequest(DELIVERY, NONE);
    expect(Object.keys(headers)).toEqual(['Content-Type', 'User-Agent', 'X-Service-Delivery']);
  });
});

describe('The secret of a webhook', () => {
  const EMPTY: WebhookRow = {
    id: 1,
    name: 'chat',
    url: 'https://hooks.example.com/',
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

  async function setUp(key = 'a secret key of the tests') {
    const clock = handClock(HOUR_MS);
    return { clock, secrets: createWebhookSecrets({ vault: createVault(await createKeyring(key)), clock }) };
  }

  it('is sealed', async () => {
    const { secrets } = await setUp();
    const row = { ...EMPTY, ...(await secrets.first(EMPTY.id, 'hush')) };
    expect(row.secret_sealed).toMatch(/^v2:/);
    expect(await secrets.open(row)).toEqual({ present: 'hush', previous: undefined });
    expect(await secrets.open({ ...EMPTY, ...(await secrets.first(EMPTY.id, '')) })).toEqual(NONE);
  });

  it('still signs for 24 hours after it was changed', async () => {
    const { secrets, clock } = await setUp();
    const row = { ...EMPTY, ...(await secrets.first(EMPTY.id, 'old')) };
    const changed = { ...row, ...(await secrets.replace(row, 'new')) };
    expect(changed.previous_secret_until).toBe('2026-01-03T03:04:05.678Z');
    await clock.pass(23 * HOUR_MS);
    expect(await secrets.open(changed)).toEqual({ present: 'new', previous: 'old' });
    await clock.pass(2 * HOUR_MS);
    expect(await secrets.open(changed)).toEqual({ present: 'new', previous: undefined });
  });

  it('stays when it is set to the same value', async () => {
    const { secrets } = await setUp();
    const row = { ...EMPTY, ...(await secrets.first(EMPTY.id, 'same')) };
    expect(await secrets.replace(row, 'same')).toEqual({});
  });

  it('is gone once it is cleared, together with the previous one', async () => {
    const { secrets } = await setUp();
    const row = { ...EMPTY, ...(await secrets.first(EMPTY.id, 'old')) };
    const changed = { ...row, ...(await secrets.replace(row, 'new')) };
    expect({ ...changed, ...(await secrets.replace(changed, '')) }).toEqual(EMPTY);
  });

  it('is not opened when it was sealed with a lost key, and is fully replaced', async () => {
    const row = {
      ...EMPTY,
      ...(await (await setUp('another key of the tests')).secrets.first(EMPTY.id, 'old')),
    };
    const { secrets } = await setUp();
    await expect(secrets.open(row)).rejects.toThrow();
    const changed = { ...row, ...(await secrets.replace(row, 'new')) };
    expect(await secrets.open(changed)).toEqual({ present: 'new', previous: undefined });
  });
});
