import { z } from '@hono/zod-openapi';
import { EventKind } from '#core/model/event.ts';
import { Delivery, Webhook, WebhookInput, WebhookPatch } from '#core/model/webhook.ts';
import { defineRoute } from './define.ts';
import { body, json, page, paging, pathId, refusal } from './shapes.ts';

const params = z.object({ id: pathId });
const unknown = refusal('Unknown');
const badAddress = refusal('Invalid, or an address that webhooks may not use');
const admin = { 'x-access': 'admin', 'x-scope': 'admin' } as const;
const Queued = z.object({ queued: z.literal(true) });

export const listWebhooks = defineRoute({
  operationId: 'webhooks.list',
  method: 'get',
  path: '/api/webhooks',
  tags: ['webhooks'],
  summary: 'Webhooks',
  ...admin,
  responses: { 200: json(z.array(Webhook), 'By name') },
});

export const webhookEvents = defineRoute({
  operationId: 'webhooks.events',
  method: 'get',
  path: '/api/webhooks/events',
  tags: ['webhooks'],
  summary: 'List the events to subscribe to',
  ...admin,
  responses: { 200: json(z.array(EventKind), 'Kinds') },
});

export const createWebhook = defineRoute({
  operationId: 'webhooks.create',
  method: 'post',
  path: '/api/webhooks',
  tags: ['webhooks'],
  summary: 'Create a webhook',
  description:
    'Each delivery is a POST of `{event, timestamp, data}` with `X-Service-Delivery` (the same on ' +
    'each try) and, with a secret, `X-Service-Signature: sha256=<hex HMAC-SHA256 of the body>`. A ' +
    '2xx answer within 10 s completes it; redirects are not followed. Network errors, 429 and 5xx ' +
    'are retried: 6 tries in all, within about 43 minutes.',
  ...admin,
  request: { body: body(WebhookInput) },
  responses: { 201: json(Webhook, 'Created'), 409: refusal('Too many'), 422: badAddress },
});

export const updateWebhook = defineRoute({
  operationId: 'webhooks.update',
  method: 'put',
  path: '/api/webhooks/{id}',
  tags: ['webhooks'],
  summary: 'Change a webhook',
  description:
    'Absent fields stay as they are. After a change of the secret, the previous one also signs for ' +
    '24 hours: `X-Service-Signature-Previous`.',
  ...admin,
  request: { params, body: body(WebhookPatch) },
  responses: { 200: json(Webhook, 'The changed webhook'), 404: unknown, 422: badAddress },
});

export const deleteWebhook = defineRoute({
  operationId: 'webhooks.delete',
  method: 'delete',
  path: '/api/webhooks/{id}',
  tags: ['webhooks'],
  summary: 'Delete a webhook and its deliveries',
  ...admin,
  request: { params },
  responses: { 204: { description: 'Deleted' }, 404: unknown },
});

export const testWebhook = defineRoute({
  operationId: 'webhooks.test',
  method: 'post',
  path: '/api/webhooks/{id}/test',
  tags: ['webhooks'],
  summary: 'Send a `test` event to this webhook only',
  description: 'Works for a disabled webhook too.',
  ...admin,
  request: { params },
  responses: { 200: json(Queued, 'Queued; see the deliveries'), 404: unknown },
});

export const listDeliveries = defineRoute({
  operationId: 'webhooks.deliveries',
  method: 'get',
  path: '/api/webhooks/{id}/deliveries',
  tags: ['webhooks'],
  summary: 'List the deliveries of the last 30 days',
  ...admin,
  request: { params, query: paging },
  responses: { 200: page(Delivery, 'Newest first'), 404: unknown },
});

export const replayDelivery = defineRoute({
  operationId: 'webhooks.replay',
  method: 'post',
  path: '/api/webhooks/deliveries/{id}/replay',
  tags: ['webhooks'],
  summary: 'Send the same body again, as a new delivery',
  ...admin,
  request: { params },
  responses: { 200: json(Delivery, 'The new delivery'), 404: unknown },
});
