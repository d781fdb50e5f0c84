import { utf8 } from '../lib/bytes/bytes.ts';
import { EVENT_DATA } from '../model/webhooks/event.ts';
import type { DeliveryRow } from '../model/webhooks/webhook.ts';
import type { SigningSecrets } from './secrets.ts';

export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The same bytes for every attempt and replay. */
export async function webhookRequest(
  delivery: DeliveryRow,
  { present, previous }: SigningSecrets,
): Promise<WebhookRequest> {
  const body = bodyOf(delivery);
  const sign = async (secret: string) => `sha256=${await hmacHex(secret, body)}`;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'service-webhook/1.0',
    'X-Service-Delivery': String(delivery.id),
  };
  if (present !== undefined) headers['X-Service-Signature'] = await sign(present);
  if (previous !== undefined) headers['X-Service-Signature-Previous'] = await sign(previous);
  return { headers, body };
}

function bodyOf({ event, fired_at, subject_id, data }: DeliveryRow): Uint8Array<ArrayBuffer> {
  const subject = subject_id === null ? {} : { id: subject_id };
  return utf8(
    JSON.stringify({ event, timestamp: fired_at, data: inOrder(event, { ...subject, ...entriesOf(data) }) }),
  );
}

/** Keys in the model's order: PostgreSQL reorders JSON keys. */
function inOrder(event: string, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = Object.entries(EVENT_DATA).find(([kind]) => kind === event)?.[1]; // a later version may have more kinds
  const first = Object.keys(known?.shape ?? {}).filter((key) => key in data);
  const others = Object.keys(data)
    .filter((key) => !first.includes(key))
    .sort();
  return Object.fromEntries([...first, ...others].map((key) => [key, data[key]]));
}

function entriesOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

/** HMAC-SHA256 in hexadecimal. */
async function hmacHex(secret: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
