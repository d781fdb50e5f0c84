import { orRecorded } from '../audit/outcome.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import { createIdPool } from '../lib/id-pool.ts';
import { MAX_WEBHOOKS } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import { type EventKind, SUBSCRIBABLE } from '../model/webhooks/event.ts';
import {
  type Delivery,
  type DeliveryFilter,
  toDelivery,
  toWebhook,
  type Webhook,
  type WebhookInput,
  type WebhookPatch,
  type WebhookRow,
} from '../model/webhooks/webhook.ts';
import { assertMay } from '../policy/account.ts';
import type { Outbound } from '../ports/outside.ts';
import type { NewDeliveryRow } from '../ports/repositories/webhooks.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { SecretChange, WebhookSecrets } from './secrets.ts';

/** Webhooks and their deliveries. */
export interface Webhooks {
  kinds(caller: Caller): EventKind[];
  list(caller: Caller): Promise<Webhook[]>;
  create(caller: Caller, input: WebhookInput): Promise<Webhook>;
  update(caller: Caller, id: number, patch: WebhookPatch): Promise<Webhook>;
  remove(caller: Caller, id: number): Promise<void>;
  test(caller: Caller, id: number): Promise<void>;
  deliveries(
    caller: Caller,
    id: number,
    asked: { limit: number; offset: number } & DeliveryFilter,
  ): Promise<{ deliveries: Delivery[]; total: number }>;
  /** The new delivery. */
  replay(caller: Caller, delivery_id: number): Promise<Delivery>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'webhooks' | 'deliveries'>;
  readonly secrets: WebhookSecrets;
  readonly outbound: Outbound;
  readonly trail: AuditTrail;
  readonly background: Background;
  readonly clock: Clock;
  readonly bell: Bell;
}

export function createWebhooks(deps: Deps): Webhooks {
  return { ...createAdministration(deps), ...createFiring(deps) };
}

type Firing = Pick<Webhooks, 'test' | 'deliveries' | 'replay'>;
type Administration = Omit<Webhooks, keyof Firing>;

function createAdministration(deps: Deps): Administration {
  const { repositories, secrets, outbound, trail, background, clock } = deps;
  const { webhooks } = repositories;
  const now = () => clock.now().toISOString();
  const nextId = createIdPool(webhooks.reserveIds);

  function judge(url: string): void {
    const objection = outbound.objection(url);
    if (objection !== undefined) throw new Fault('webhook_url_refused', objection);
  }

  /** The row before and after. Retries when somebody else changed the secret in between. */
  async function change(id: number, { secret, ...patch }: WebhookPatch) {
    for (;;) {
      const before = await existing(webhooks, id);
      const sealed: SecretChange = secret === undefined ? {} : await secrets.replace(before, secret);
      const row = { ...patch, ...sealed, ...kindsOf(patch), updated_at: now() };
      const expected = secret === undefined ? undefined : before.secret_sealed;
      const after = await webhooks.update(id, row, expected);
      if (after) return { before, after };
    }
  }

  return {
    kinds(caller) {
      assertMay(caller, 'read_administration');
      return SUBSCRIBABLE.options;
    },

    async list(caller) {
      assertMay(caller, 'read_administration');
      return (await webhooks.list()).map(toWebhook);
    },

    async create(caller, { secret, ...input }) {
      assertMay(caller, 'administer');
      judge(input.url);
      const id = await nextId();
      const sealed = await secrets.first(id, secret);
      const at = now();
      const row = { id, ...input, ...kindsOf(input), ...sealed, created_at: at, updated_at: at };
      const record = (label: string, ending = '') =>
        trail.record(caller, 'webhook_create', `${label} to ${new URL(row.url).origin}${ending}`);
      const insertion = webhooks.insert(row, MAX_WEBHOOKS);
      const webhook = await orRecorded(insertion, background, (ending) => record(row.name, ending));
      await record(labelOf(webhook));
      return toWebhook(webhook);
    },

    async update(caller, id, patch) {
      assertMay(caller, 'administer');
      if (patch.url !== undefined) judge(patch.url);
      const { before, after } = await orRecorded(change(id, patch), background, (ending) =>
        trail.record(caller, 'webhook_update', `#${id}: ${Object.keys(patch).join(', ')}${ending}`),
      );
      const fields = changedFields(before, after).join(', ') || 'nothing';
      await trail.record(caller, 'webhook_update', `${labelOf(after)}: ${fields}`);
      return toWebhook(after);
    },

    async remove(caller, id) {
      assertMay(caller, 'administer');
      const webhook = await existing(webhooks, id);
      const record = (ending: string) =>
        trail.record(caller, 'webhook_delete', `${labelOf(webhook)}${ending}`);
      if (!(await orRecorded(webhooks.remove(id), background, record))) throw new Fault('webhook_not_found');
      await record('');
    },
  };
}

function createFiring({ repositories, trail, clock, bell }: Deps): Firing {
  const { webhooks, deliveries } = repositories;

  async function send(row: NewDeliveryRow) {
    const delivery = await deliveries.insert(row);
    bell.ring();
    return delivery;
  }

  return {
    async test(caller, id) {
      assertMay(caller, 'administer');
      const webhook = await existing(webhooks, id);
      const data = { webhook_id: id, name: webhook.name, triggered_by: caller.username };
      const fired_at = clock.now().toISOString();
      await send({ webhook_id: id, event: 'test', fired_at, subject_id: null, data, replay_of: null });
      await trail.record(caller, 'webhook_test', labelOf(webhook));
    },

    async deliveries(caller, id, { limit, offset, ...filter }) {
      assertMay(caller, 'read_administration');
      await existing(webhooks, id);
      const rows = await deliveries.page(id, { limit, offset }, filter);
      return { deliveries: rows.map(toDelivery), total: await deliveries.count(id, filter) };
    },

    async replay(caller, delivery_id) {
      assertMay(caller, 'administer');
      const original = await deliveries.byId(delivery_id);
      if (!original) throw new Fault('delivery_not_found');
      const { webhook_id, event, fired_at, subject_id, data } = original;
      const webhook = await existing(webhooks, webhook_id);
      const replay = await send({ webhook_id, event, fired_at, subject_id, data, replay_of: delivery_id });
      await trail.record(caller, 'webhook_replay', `${labelOf(webhook)}: delivery #${delivery_id}`);
      return toDelivery(replay);
    },
  };
}

async function existing(webhooks: Repositories['webhooks'], id: number): Promise<WebhookRow> {
  const row = await webhooks.byId(id);
  if (!row) throw new Fault('webhook_not_found');
  return row;
}

/** Without duplicates; `*` covers every kind. */
function kindsOf({ events }: { readonly events?: readonly string[] | undefined }): { events?: string[] } {
  if (!events) return {};
  return { events: events.includes('*') ? ['*'] : [...new Set(events)] };
}

const FIELDS = ['name', 'url', 'events', 'enabled'] as const satisfies readonly (keyof WebhookRow)[];

function changedFields(before: WebhookRow, after: WebhookRow): string[] {
  const is_new = (field: (typeof FIELDS)[number]) => String(before[field]) !== String(after[field]);
  const has_new_secret = before.secret_sealed !== after.secret_sealed;
  return [...FIELDS.filter(is_new), ...(has_new_secret ? ['secret'] : [])];
}

/** Without the URL, which often contains a secret. */
function labelOf({ id, name }: WebhookRow): string {
  return `${name} (#${id})`;
}
