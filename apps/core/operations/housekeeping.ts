import { every } from '../lib/timers.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';

const INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const DELIVERIES_KEPT_MS = 30 * DAY_MS;
const MOST_WAITING = 10_000; // at one webhook
const SESSION_KEPT_MS = 30 * DAY_MS; // a terminal may outlive the sign-in that opened it, until that is ended
const SAMPLES_KEPT_MS = 30 * DAY_MS; // as far back as the overview goes

interface Deps {
  readonly repositories: Pick<
    Repositories,
    | 'web_sessions'
    | 'pending_sign_ins'
    | 'tickets'
    | 'rate_limits'
    | 'lockouts'
    | 'holds'
    | 'samples'
    | 'deliveries'
  >;
  readonly clock: Clock;
  readonly background: Background;
  /** Of hosts, which may keep it waiting. */
  readonly sweepParts: () => Promise<void>;
}

/** Removes what has expired, now and every ten minutes; the returned function stops it. */
export function startHousekeeping({ repositories, clock, background, sweepParts }: Deps): () => void {
  async function sweep(): Promise<void> {
    const before = (span_ms: number) => new Date(clock.now().getTime() - span_ms).toISOString();
    const now = before(0);
    await repositories.tickets.removeExpired(now);
    await repositories.web_sessions.removeExpired(before(SESSION_KEPT_MS));
    await repositories.pending_sign_ins.removeExpired(now);
    await repositories.lockouts.removeStale(before(DAY_MS));
    await repositories.rate_limits.removeExpired(now);
    await repositories.holds.removeExpired();
    await repositories.deliveries.failExcess(MOST_WAITING, 'too many waiting');
    await repositories.deliveries.removeOlder(before(DELIVERIES_KEPT_MS));
    await repositories.samples.removeOlder(before(SAMPLES_KEPT_MS));
  }
  function round(): void {
    background.run('housekeeping', sweep());
    background.run('remove part files', sweepParts());
  }
  round();
  return every(clock.after, INTERVAL_MS, round);
}
