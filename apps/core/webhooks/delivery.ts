import type { Changes } from '../instances/changes.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import type { LeasedDelivery } from '../ports/repositories/webhooks.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { type AttemptDeps, createWebhookAttempts } from './attempts.ts';
import { createWebhookLoad } from './load.ts';
import { createOutageLog } from './outage-log.ts';

const LEASE_MS = 30_000; // covers an attempt and storing its outcome; then its instance counts as gone
const LOOK_AGAIN_MS = 5000; // also picks up what an instance that was killed had taken
const AFTER_OUTAGE_MS = 1000;

interface Deps extends AttemptDeps {
  readonly bell: Bell;
  readonly changes: Pick<Changes, 'follow'>;
  readonly background: Background;
}

/** Sends pending deliveries. The returned function stops it; work in progress continues in the background. */
export function startWebhookDelivery(deps: Deps): () => void {
  const { repositories, bell, changes, background, log } = deps;
  const { deliveries } = repositories;
  const holder = randomToken(16);
  const load = createWebhookLoad();
  const stopped = new AbortController();
  const { signal } = stopped;
  const outage = createOutageLog(log);
  const attempts = createWebhookAttempts(deps, { holder, signal, outage });
  const rounds = createRounds(deps, signal, () => outage.during(fill, AFTER_OUTAGE_MS));

  /** Starts as many deliveries as there is room for; returns when the next one is due. */
  async function fill(): Promise<number | undefined> {
    while (!signal.aborted) {
      const shares = load.room() > 0 ? load.shares(await deliveries.waiting()) : [];
      const taken = await deliveries.take({ holder, lease_ms: LEASE_MS, limit: load.room(), shares });
      if (taken.length === 0) break;
      for (const leased of taken) begin(leased);
    }
    return deliveries.nextDue();
  }

  function begin(leased: LeasedDelivery): void {
    const { id, webhook_id } = leased.delivery;
    if (load.has(id)) return; // sent; its outcome is still being stored
    load.begin(id, webhook_id);
    const done = attempts.run(leased, (took_ms, has_answered) =>
      load.note(webhook_id, took_ms, has_answered),
    );
    background.run(
      'deliver a webhook',
      done.finally(() => {
        load.end(id);
        rounds.wake();
      }),
    );
  }

  const leave = bell.listen(rounds.wake);
  const unfollow = changes.follow({
    topics: ['deliveries'],
    every_ms: LOOK_AGAIN_MS,
    calm_ms: LOOK_AGAIN_MS,
    look: async () => rounds.wake(),
  });
  rounds.wake();
  return () => {
    leave();
    unfollow();
    stopped.abort();
    rounds.stop();
  };
}

/** Runs one round at a time: when woken, or after the delay that the previous round returned, unless that is long. */
function createRounds(
  { clock, background }: { readonly clock: Clock; readonly background: Background },
  signal: AbortSignal,
  round: () => Promise<number | undefined>,
) {
  let is_looking = false;
  let is_rung = false;
  let cancel = () => {};

  async function look(): Promise<void> {
    let next_ms: number | undefined;
    while (is_rung && !signal.aborted) {
      is_rung = false;
      cancel();
      next_ms = await round();
    }
    is_looking = false;
    if (signal.aborted || next_ms === undefined || next_ms > LOOK_AGAIN_MS) return;
    cancel = clock.after(next_ms, wake);
  }

  function wake(): void {
    is_rung = true;
    if (is_looking || signal.aborted) return;
    is_looking = true;
    background.run('look for webhook deliveries', look());
  }

  return { wake, stop: () => cancel() };
}
