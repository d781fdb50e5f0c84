import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { createHolds } from '#core/files/holds.ts';
import { handClock } from '../../support/hand-clock.ts';

const TTL_MS = 9000;
const OPTIONS = { ttl_ms: TTL_MS, busy: () => new Fault('file_busy') };

/** The only row, and how the database answers. */
function setUp() {
  const clock = handClock();
  const failures: unknown[] = [];
  const database = { holder: '', takes: 0, claims: 0, is_away: false };
  const holds = createHolds({
    repositories: {
      holds: {
        async take(_key, holder) {
          database.takes += 1;
          if (database.is_away) throw new Fault('database_unavailable');
          if (database.holder !== '' && database.holder !== holder) return false;
          database.holder = holder;
          return true;
        },
        async claim() {
          database.claims += 1;
        },
        async release(_key, holder) {
          if (database.is_away) throw new Fault('database_unavailable');
          if (database.holder === holder) database.holder = '';
        },
        async removeExpired() {},
      },
    },
    clock,
    background: { run: (_what, work) => void work.catch((error) => failures.push(error)) },
  });
  return { holds, clock, database, failures };
}

async function held(holds: ReturnType<typeof createHolds>) {
  const hold = await holds.take('key', OPTIONS);
  if (!hold) throw new Error('It is held by somebody else');
  return hold;
}

describe('A hold', () => {
  it('is refused while another holder has it', async () => {
    const { holds, database, clock } = setUp();
    database.holder = 'another instance';
    expect(await holds.take('key', OPTIONS)).toBeUndefined();
    expect(clock.timers()).toBe(0);
  });

  it('is renewed until it is released', async () => {
    const { holds, database, clock } = setUp();
    const hold = await held(holds);
    await clock.pass(10 * TTL_MS);
    expect(hold.lost.aborted).toBe(false);
    const { takes } = database;
    expect(takes).toBeGreaterThan(20);
    await hold.release();
    await clock.pass(TTL_MS);
    expect({ ...database, timers: clock.timers() }).toMatchObject({ holder: '', takes, timers: 0 });
  });

  it('survives a brief database outage', async () => {
    const { holds, database, clock, failures } = setUp();
    const hold = await held(holds);
    database.is_away = true;
    await clock.pass(TTL_MS / 2);
    database.is_away = false;
    await clock.pass(2 * TTL_MS);
    expect(hold.lost.aborted).toBe(false);
    expect(failures).toHaveLength(1);
  });

  it('is lost when it was not renewed in time', async () => {
    const { holds, database, clock } = setUp();
    const hold = await held(holds);
    database.is_away = true;
    await clock.pass(TTL_MS - 1000);
    expect(hold.lost.aborted).toBe(false);
    await clock.pass(1000);
    expect(hold.lost.reason).toMatchObject({ code: 'database_unavailable' });
    expect(clock.timers()).toBe(0);
  });

  it('is lost when another holder has taken it', async () => {
    const { holds, database, clock } = setUp();
    const hold = await held(holds);
    database.holder = 'another instance';
    await clock.pass(TTL_MS / 3);
    expect(hold.lost.reason).toMatchObject({ code: 'file_busy' });
    await hold.release();
    expect(database.holder).toBe('another instance');
  });

  it('is released even when the database is unavailable: it expires', async () => {
    const { holds, database, failures } = setUp();
    const hold = await held(holds);
    database.is_away = true;
    await hold.release();
    expect(failures).toMatchObject([{ code: 'database_unavailable' }]);
  });
});

describe('Waiting for a hold', () => {
  it('is first come, first served, and only the first in the queue asks the database', async () => {
    const { holds, clock, database } = setUp();
    const order: string[] = [];
    const enter = async (name: string) => {
      const hold = await holds.wait('key', OPTIONS);
      order.push(name);
      return hold;
    };
    const first = await enter('first');
    const others = ['second', 'third'].map(enter);
    await clock.pass(1000);
    expect({ order, takes: database.takes }).toEqual({ order: ['first'], takes: 1 });
    await first.release();
    await (await others[0])?.release();
    await (await others[1])?.release();
    expect(order).toEqual(['first', 'second', 'third']);
    expect(clock.timers()).toBe(0);
  });

  it('gets the hold that another instance releases', async () => {
    const { holds, clock, database } = setUp();
    database.holder = 'another instance';
    const waiting = holds.wait('key', OPTIONS);
    await clock.pass(2000);
    database.holder = '';
    await clock.pass(500);
    await (await waiting).release();
    expect(clock.timers()).toBe(0);
  });

  it('claims the hold of another instance once, if it may', async () => {
    const { holds, clock, database } = setUp();
    database.holder = 'another instance';
    const waiting = holds.wait('key', { ...OPTIONS, claims: true });
    await clock.pass(2000);
    expect(database.claims).toBe(1);
    database.holder = '';
    await clock.pass(500);
    await (await waiting).release();
  });

  it.each(['another instance', 'somebody in this process'])(
    'times out after ten seconds without affecting those behind it: %s',
    async (who) => {
      const { holds, clock, database } = setUp();
      const first = who === 'another instance' ? undefined : await holds.wait('key', OPTIONS);
      if (!first) database.holder = who;
      const refused = expect(holds.wait('key', OPTIONS)).rejects.toMatchObject({ code: 'file_busy' });
      await clock.pass(11_000);
      await refused;
      const next = holds.wait('key', OPTIONS);
      if (first) await first.release();
      else database.holder = '';
      await clock.pass(300);
      await (await next).release();
      expect(clock.timers()).toBe(0);
    },
  );

  it('fails with the database and leaves the queue', async () => {
    const { holds, database } = setUp();
    database.is_away = true;
    await expect(holds.wait('key', OPTIONS)).rejects.toMatchObject({ code: 'database_unavailable' });
    database.is_away = false;
    await (await holds.wait('key', OPTIONS)).release();
  });
});
