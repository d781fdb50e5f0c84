import type { AuditTrail } from '../audit/trail.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Changes } from '../instances/changes.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import { toJob } from '../lifecycle.ts';
import type { Meter } from '../ports/meter.ts';
import type { Outbound } from '../ports/outside.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { startWebhookDelivery } from './delivery.ts';
import { createWebhookSecrets } from './secrets.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

export interface WebhookServices {
  readonly webhooks: Webhooks;
}

export interface WebhookPorts {
  readonly repositories: Pick<Repositories, 'webhooks' | 'deliveries'>;
  readonly outbound: Outbound;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

interface Deps {
  readonly vault: Vault;
  readonly trail: AuditTrail;
  /** Rung when a delivery is due. */
  readonly bell: Bell;
  readonly changes: Pick<Changes, 'follow'>;
}

export function createWebhooksFeature(ports: WebhookPorts, { vault, trail, bell, changes }: Deps) {
  const { repositories, outbound, meter, clock, background, log } = ports;
  const secrets = createWebhookSecrets({ vault, clock });
  const services: WebhookServices = {
    webhooks: createWebhooks({ repositories, secrets, outbound, trail, background, clock, bell }),
  };
  const deliver = () =>
    startWebhookDelivery({ repositories, secrets, outbound, meter, clock, background, log, bell, changes });
  return { services, jobs: [toJob('webhook delivery', deliver)] };
}
