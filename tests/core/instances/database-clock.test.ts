import { describe, expect, it } from 'vitest';
import { createDatabaseClock } from '#core/instances/database-clock.ts';
import { handClock } from '../../support/hand-clock.ts';

const MINUTE_MS = 60_000;

/** A machine whose clock is ahead of the database by this; the database answers after `answer_ms`. */
function setUp(ahead_ms: number, answer_ms = 0) {
  const machine = handClock();
  const database = { ahead_ms };
  const clock = createDatabaseClock(machine, async () => {
    await machine.pass(answer_ms / 2);
    const at = new Date(machine.now().getTime() - database.ahead_ms);
    await machine.pass(answer_ms / 2);
    return at;
  });
  const difference_ms = () => machine.now().getTime() - clock.now().getTime();
  return { clock, database, difference_ms };
}

describe('The clock of an instance', () => {
  it.each([9 * MINUTE_MS, -9 * MINUTE_MS])('follows the database by %i ms', async (ahead_ms) => {
    const { clock, difference_ms } = setUp(ahead_ms, 200);
    await clock.measure();
    expect(difference_ms()).toBe(ahead_ms);
    expect(clock.skew_ms()).toBe(ahead_ms);
  });

  it.each([11 * MINUTE_MS, -11 * MINUTE_MS])('does not follow it by %i ms, and says so', async (ahead_ms) => {
    const { clock, difference_ms } = setUp(ahead_ms);
    await clock.measure();
    expect(difference_ms()).toBe(0);
    expect(clock.skew_ms()).toBe(ahead_ms);
  });

  it('does not follow a database whose clock has jumped', async () => {
    const { clock, database, difference_ms } = setUp(MINUTE_MS);
    await clock.measure();
    database.ahead_ms = -10 * 365 * 24 * 60 * MINUTE_MS;
    await clock.measure();
    expect(difference_ms()).toBe(0);
  });

  it('does not change for a difference that the time of the answer explains', async () => {
    const { clock, difference_ms } = setUp(900, 2000);
    await clock.measure();
    expect(difference_ms()).toBe(0);
  });
});
