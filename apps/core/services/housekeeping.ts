import { every } from '../lib/timers.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';

const INTERVAL_MS = 10 * 60_000;

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'tickets' | 'rate_limits'>;
  readonly clock: Clock;
  readonly background: Background;
}

/** Removes what has expired, now and every ten minutes; the returned function stops it. */
export function startHousekeeping({ repositories, clock, background }: Deps): () => void {
  async function sweep(): Promise<void> {
    const now = clock.now().toISOString();
    await repositories.tickets.removeExpired(now);
    await repositories.web_sessions.removeExpired(now);
    await repositories.rate_limits.removeExpired(now);
  }
  const round = () => background.run('housekeeping', sweep());
  round();
  return every(clock.after, INTERVAL_MS, round);
}
