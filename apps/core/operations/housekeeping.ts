import { every } from '../lib/time/timers.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';

const INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const DELIVERIES_KEPT_MS = 30 * DAY_MS;
const MAX_PENDING = 10_000; // deliveries of one webhook
const SESSION_KEPT_MS = 30 * DAY_MS; // a terminal may outlive the expired sign-in that opened it
const SAMPLES_KEPT_MS = 30 * DAY_MS; // the longest period that the overview shows

export interface HousekeepingDeps {
  readonly repositories: Pick<
    Repositories,
    | 'web_sessions'
    | 'pending_sign_ins'
    | 'tickets'
    | 'rate_limits'
    | 'lockouts'
    | 'holds'
    | 'uploads'
    | 'samples'
    | 'deliveries'
    | 'audit'
  >;
  readonly clock: Clock;
  readonly background: Background;
}

/** Removes expired rows, now and every ten minutes; the returned function stops it. */
export function startHousekeeping({ repositories, clock, background }: HousekeepingDeps): () => void {
  async function sweep(): Promise<void> {
    const before = (span_ms: number) => new Date(clock.now().getTime() - span_ms).toISOString();
    const now = before(0);
    await repositories.tickets.removeExpired(now);
    await repositories.web_sessions.removeExpired(before(SESSION_KEPT_MS));
    await repositories.pending_sign_ins.removeExpired(now);
    await repositories.lockouts.removeStale(before(DAY_MS));
    await repositories.rate_limits.removeExpired(now);
    await repositories.holds.removeExpired();
    await repositories.uploads.removeFinished(now);
    await repositories.audit.removeExpiredKeys(now);
    await repositories.deliveries.failExcess(MAX_PENDING, 'too many waiting');
    await repositories.deliveries.removeOlder(before(DELIVERIES_KEPT_MS));
    await repositories.samples.removeOlder(before(SAMPLES_KEPT_MS));
  }
  const run = () => background.run('housekeeping', sweep());
  run();
  return every(clock.after, INTERVAL_MS, run);
}
