import { z } from 'zod';
import { Id, Instant, line } from '../fields.ts';
import { EventKind, SUBSCRIBABLE } from './event.ts';

const URL_LENGTH = 2048;

export const Subscription = z
  .array(z.union([z.literal('*'), SUBSCRIBABLE]))
  .min(1)
  .max(20)
  .describe('`*`: all kinds, including those of later versions');

export const Webhook = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    enabled: z.boolean(),
    has_secret: z.boolean(),
    previous_secret_until: Instant.nullable().describe(
      'Until then deliveries are also signed with the previous secret (`X-Service-Signature-Previous`)',
    ),
    last_fired_at: Instant.nullable(),
    last_status: z
      .int()
      .nullable()
      .describe('HTTP status of the last delivery; null if there was no response'),
    created_at: Instant,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const fields = {
  name: line(1, 100),
  url: z
    .string()
    .max(URL_LENGTH)
    .describe(
      '`https://…`; `http://…` and private addresses only while `SERVICE_WEBHOOK_ALLOW_PRIVATE` is on',
    ),
  events: Subscription,
  enabled: z.boolean(),
  secret: z
    .string()
    .max(256)
    .describe(
      'Write-only; key of the HMAC over the exact bytes of the body. An empty string clears it. After a change, the ' +
        'previous secret also signs for 24 hours',
    ),
};

export const WebhookInput = z
  .strictObject({
    ...fields,
    events: Subscription.default(['*']),
    enabled: z.boolean().default(true),
    secret: fields.secret.default(''),
  })
  .meta({ id: 'WebhookInput' });
export type WebhookInput = z.infer<typeof WebhookInput>;

export const WebhookPatch = z.strictObject(fields).partial().meta({ id: 'WebhookPatch' });
export type WebhookPatch = z.infer<typeof WebhookPatch>;

/** A webhook as stored. */
export interface WebhookRow extends Omit<Webhook, 'has_secret'> {
  readonly secret_sealed: string | null;
  readonly previous_secret_sealed: string | null;
  readonly updated_at: string;
}

export const DeliveryStatus = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const Delivery = z
  .object({
    id: Id,
    event: EventKind,
    status: DeliveryStatus,
    attempts: z.int(),
    last_status: z
      .int()
      .nullable()
      .describe('HTTP status of the last attempt; null if there was no response'),
    last_error: z.string().nullable(),
    replay_of: Id.nullable().describe('The delivery that this one replays'),
    created_at: Instant,
    delivered_at: Instant.nullable(),
    next_attempt_at: Instant.nullable().describe('Null when delivered or failed'),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryFilter = z.object({
  event: EventKind.optional(),
  status: DeliveryStatus.optional(),
  since: Instant.optional().describe('Began at this time or later'),
  until: Instant.optional().describe('Began before this time'),
});
export type DeliveryFilter = z.infer<typeof DeliveryFilter>;

/** A delivery as stored. The body is built from `event`, `fired_at`, `subject_id` and `data`, so every attempt sends the same. */
export interface DeliveryRow extends Delivery {
  readonly webhook_id: number;
  /** Time of the event; a replay keeps it. */
  readonly fired_at: string;
  /** `data.id` of an event about a row that was inserted in the same transaction. */
  readonly subject_id: number | null;
  readonly data: unknown;
}

/** Picks every field by name, so that a new column never leaks. */
export function toDelivery(row: DeliveryRow): Delivery {
  const { id, event, status, attempts, last_status, last_error } = row;
  const { replay_of, created_at, delivered_at, next_attempt_at } = row;
  return {
    id,
    event,
    status,
    attempts,
    last_status,
    last_error,
    replay_of,
    created_at,
    delivered_at,
    next_attempt_at,
  };
}

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    enabled: row.enabled,
    has_secret: row.secret_sealed !== null,
    previous_secret_until: row.previous_secret_until,
    last_fired_at: row.last_fired_at,
    last_status: row.last_status,
    created_at: row.created_at,
  };
}
