import { forkSignal } from '../lib/concurrency/signal-fork.ts';
import { pause } from '../lib/time/deadline.ts';
import type { Meter } from '../ports/meter.ts';
import { ExchangeFailed, type Outbound } from '../ports/outside.ts';
import type { DeliveryLease, DeliveryOutcome, LeasedDelivery } from '../ports/repositories/webhooks.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { OutageLog } from './outage-log.ts';
import { type AttemptEnd, outcomeOf } from './outcomes.ts';
import { type WebhookRequest, webhookRequest } from './requests.ts';
import type { WebhookSecrets } from './secrets.ts';

const TIMEOUT_MS = 10_000;
const DATABASE_AGAIN_MS = 1000;
const UNREADABLE = 'The secret of this webhook cannot be opened: set it anew';

const METERED = {
  delivered: 'webhook_delivered',
  pending: 'webhook_retried',
  failed: 'webhook_failed',
} as const;

export interface AttemptDeps {
  readonly repositories: Pick<Repositories, 'deliveries'>;
  readonly secrets: WebhookSecrets;
  readonly outbound: Outbound;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly log: Log;
}

interface AttemptOptions {
  readonly holder: string;
  /** Aborts when the gateway stops. */
  readonly signal: AbortSignal;
  readonly outage: OutageLog;
}

/** Told how long the receiver took, and whether it answered. */
type Note = (took_ms: number, has_answered: boolean) => void;

export interface WebhookAttempts {
  /** One attempt, until its outcome is stored. */
  run(leased: LeasedDelivery, note: Note): Promise<void>;
}

export function createWebhookAttempts(
  deps: AttemptDeps,
  { holder, signal, outage }: AttemptOptions,
): WebhookAttempts {
  const { repositories, meter, clock, log } = deps;
  const { deliveries } = repositories;
  const fork = forkSignal(signal);
  const release = (id: number) => outage.during(() => deliveries.release(id, holder), undefined);

  /** Retries until the outcome is stored or the gateway stops: only this process knows it. */
  async function settle(lease: DeliveryLease, outcome: DeliveryOutcome, stop: AbortSignal): Promise<void> {
    const write = async () => {
      await deliveries.settle(lease, outcome);
      return true;
    };
    while (!(await outage.during(write, stop.aborted))) await pause(clock.after, DATABASE_AGAIN_MS, stop);
  }

  async function attempt(leased: LeasedDelivery, note: Note, stop: AbortSignal): Promise<void> {
    const { id, attempts, webhook_id } = leased.delivery;
    const began_ms = clock.elapsed_ms();
    const end = await send(deps, leased, stop);
    if (!end) return release(id);
    note(clock.elapsed_ms() - began_ms, 'status' in end);
    const outcome = outcomeOf(end, attempts, Math.random());
    meter.add(METERED[outcome.status]);
    if (outcome.status === 'failed') {
      log.warn({ webhook_id, delivery_id: id, reason: outcome.last_error }, 'A webhook delivery has failed');
    }
    await settle({ id, attempts, holder }, { ...outcome, at: clock.now().toISOString() }, stop);
  }

  return {
    run: (leased, note) =>
      signal.aborted ? release(leased.delivery.id) : fork.during((stop) => attempt(leased, note, stop)),
  };
}

/** Undefined when the attempt was aborted or is no longer due. */
async function send(
  deps: AttemptDeps,
  leased: LeasedDelivery,
  signal: AbortSignal,
): Promise<AttemptEnd | undefined> {
  const { webhook, delivery } = leased;
  if (!webhook.enabled && delivery.event !== 'test') return undefined;
  const keys = await deps.secrets.open(webhook).catch(() => undefined);
  // During a key rotation another instance can decrypt it, or this one after a restart.
  if (!keys) return { reason: UNREADABLE, is_final: false };
  return post(deps, { url: webhook.url, ...(await webhookRequest(delivery, keys)), signal });
}

interface Post extends WebhookRequest {
  readonly url: string;
  readonly signal: AbortSignal;
}

async function post({ outbound, log }: AttemptDeps, request: Post): Promise<AttemptEnd | undefined> {
  if (request.signal.aborted) return undefined;
  try {
    return await outbound.post({ ...request, timeout_ms: TIMEOUT_MS });
  } catch (error) {
    if (request.signal.aborted) return undefined;
    if (error instanceof ExchangeFailed) return { reason: error.message, is_final: error.is_final };
    log.error({ err: error }, 'A webhook could not be sent');
    return { reason: 'Internal error', is_final: false };
  }
}
