import type { Clock } from '../ports/runtime.ts';

export const MOST_SKEW_MS = 2000; // beyond this, administrators are warned

/**
 * The machine's clock, corrected to the time of the database, which all instances share. It follows the database by ten
 * minutes at most: somebody who can write to the database must not be able to end sign-ins, renew old ones or age the
 * audit log.
 */
export interface DatabaseClock extends Clock {
  /** Compares the machine's clock with the database. */
  measure(): Promise<void>;
  /** How far the machine's clock is ahead of the database; negative when it is behind. */
  skew_ms(): number;
}

const NEGLIGIBLE_MS = 50;
const MOST_FOLLOWED_MS = 10 * 60_000;

export function createDatabaseClock(machine: Clock, databaseTime: () => Promise<Date>): DatabaseClock {
  let skew_ms = 0;
  const correction_ms = () => (Math.abs(skew_ms) > MOST_FOLLOWED_MS ? 0 : skew_ms);
  return {
    ...machine,
    now: () => new Date(machine.now().getTime() - correction_ms()),
    skew_ms: () => skew_ms,

    async measure() {
      const asked_ms = machine.elapsed_ms();
      const at_ms = (await databaseTime()).getTime();
      const uncertain_ms = (machine.elapsed_ms() - asked_ms) / 2;
      const measured_ms = Math.round(machine.now().getTime() - uncertain_ms - at_ms);
      const is_certain = Math.abs(measured_ms - skew_ms) > uncertain_ms + NEGLIGIBLE_MS;
      if (is_certain) skew_ms = measured_ms;
    },
  };
}

/** A clock that is not compared with the database. */
export function asDatabaseClock(clock: Clock): DatabaseClock {
  return { ...clock, measure: async () => undefined, skew_ms: () => 0 };
}
