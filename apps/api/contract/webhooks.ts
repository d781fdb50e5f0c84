import { z } from '@hono/zod-openapi';
import { EventKind } from '#core/model/webhooks/event.ts';
import {
  Delivery,
  DeliveryFilter,
  Webhook,
  WebhookInput,
  WebhookPatch,
} from '#core/model/webhooks/webhook.ts';
import { defineRoute } from './define.ts';
import { body, json, page, paging, pathId } from './shapes.ts';

const params = z.object({ id: pathId });
const admin = { 'x-access': 'admin', 'x-scope': 'admin' } as const;
const Queued = z.object({ queued: z.literal(true) });

export const listWebhooks = defineRoute({
  operationId: 'webhooks.list',
  method: 'get',
  path: '/api/webhooks',
  tags: ['webhooks'],
  summary: 'Webhooks',
  description: 'With the outcome of the last delivery of each. Secrets are never returned.',
  ...admin,
  responses: { 200: json(z.array(Webhook), 'By name') },
});

export const webhookEvents = defineRoute({
  operationId: 'webhooks.events',
  method: 'get',
  path: '/api/webhooks/events',
  tags: ['webhooks'],
  summary: 'List the events to subscribe to',
  description: 'A webhook with `*` gets all of them, including kinds that later versions add.',
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
  refuses: ['too_many_webhooks', 'webhook_url_refused'],
  responses: { 201: json(Webhook, 'Created') },
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
  refuses: ['webhook_not_found', 'webhook_url_refused'],
  responses: { 200: json(Webhook, 'The changed webhook') },
});

export const deleteWebhook = defineRoute({
  operationId: 'webhooks.delete',
  method: 'delete',
  path: '/api/webhooks/{id}',
  tags: ['webhooks'],
  summary: 'Delete a webhook and its deliveries',
  description: 'Deliveries that are still pending are not sent.',
  ...admin,
  request: { params },
  refuses: ['webhook_not_found'],
  responses: { 204: { description: 'Deleted' } },
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
  refuses: ['webhook_not_found'],
  responses: { 200: json(Queued, 'Queued; see the deliveries') },
});

export const listDeliveries = defineRoute({
  operationId: 'webhooks.deliveries',
  method: 'get',
  path: '/api/webhooks/{id}/deliveries',
  tags: ['webhooks'],
  summary: 'List the deliveries of the last 30 days',
  description: 'With state, tries and the last answer of each, but without bodies.',
  ...admin,
  request: { params, query: paging.extend(DeliveryFilter.shape) },
  refuses: ['webhook_not_found'],
  responses: { 200: page(Delivery, 'Newest first') },
});

export const replayDelivery = defineRoute({
  operationId: 'webhooks.replay',
  method: 'post',
  path: '/api/webhooks/deliveries/{id}/replay',
  tags: ['webhooks'],
  summary: 'Send the same body again, as a new delivery',
  description:
    'Works for delivered and for failed ones. The new delivery has its own id and names the old one in `replay_of`.',
  ...admin,
  request: { params },
  refuses: ['delivery_not_found', 'webhook_not_found'],
  responses: { 200: json(Delivery, 'The new delivery') },
});
