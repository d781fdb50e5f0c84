import { describe, expect, it } from 'vitest';
import type { PresentNumbers } from '#core/model/overview.ts';
import { createMeter } from '#core/overview/meter.ts';
import { createOverviewSampler } from '#core/overview/sampler.ts';
import type { SampleRepository } from '#core/ports/repositories/overview.ts';
import { handClock } from '../../support/hand-clock.ts';

const MINUTE_MS = 60_000;
const PRESENT: PresentNumbers = {
  servers_online: 2,
  servers_offline: 1,
  servers_unchecked: 0,
  sessions: 3,
  users: 4,
  exchanges: { connected: 2, post_quantum: 1 },
};

type Recorded = Parameters<SampleRepository['record']>;

/** A sampler, what it writes, and a database that the test takes away. */
function setUp() {
  const clock = handClock(1000);
  const meter = createMeter();
  const recorded: Recorded[] = [];
  const failures: unknown[] = [];
  const database = { is_away: false, answers: async () => {} };
  const warnings: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: object, text: string) => void warnings.push(text),
    error() {},
  };
  const sampler = createOverviewSampler({
    repositories: {
      samples: {
        present: async () => PRESENT,
        merged: async () => [],
        removeOlder: async () => {},
        async record(...sample) {
          await database.answers();
          if (database.is_away) throw new Error('away');
          recorded.push(sample);
        },
      },
    },
    meter,
    clock,
    background: { run: (_what, work) => void work.catch((error) => failures.push(error)) },
    log,
  });
  const uploads = () => recorded.map(([, { add }]) => add.uploads);
  return { sampler, clock, meter, recorded, failures, database, warnings, uploads };
}

/** Answers when the returned function is called. */
function holdAnswers(database: ReturnType<typeof setUp>['database']): () => void {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  database.answers = () => held;
  return () => answer();
}

describe('The sampler of the overview', () => {
  it('writes the state every minute into the current five-minute interval', async () => {
    const { sampler, clock, recorded } = setUp();
    sampler.start();
    await clock.pass(5 * MINUTE_MS);
    const { users: _users, exchanges: _exchanges, ...gauges } = PRESENT;
    expect(recorded.map(([at]) => at.slice(11, 16))).toEqual([
      '03:00',
      '03:05',
      '03:05',
      '03:05',
      '03:05',
      '03:05',
    ]);
    expect(recorded[0]?.[1].set).toEqual(gauges);
  });

  it('adds what was counted since the last sample, zeros included', async () => {
    const { sampler, clock, meter, uploads, recorded } = setUp();
    meter.add('uploads', 2);
    sampler.start();
    await clock.pass(MINUTE_MS);
    meter.add('uploads', 5);
    await clock.pass(MINUTE_MS);
    expect(uploads()).toEqual([2, 0, 5]);
    expect(recorded[1]?.[1].add).toMatchObject({ bytes_up: 0, bytes_down: 0, failed_logins: 0, logins: 0 });
  });

  it('keeps what could not be written for the next time', async () => {
    const { sampler, clock, meter, uploads, failures, database } = setUp();
    sampler.start();
    await clock.pass(1);
    meter.add('uploads', 2);
    database.is_away = true;
    await clock.pass(2 * MINUTE_MS);
    meter.add('uploads');
    database.is_away = false;
    await clock.pass(MINUTE_MS);
    expect([uploads(), failures.length]).toEqual([[0, 3], 2]);
  });

  it('counts nothing twice while a write is slow', async () => {
    const { sampler, clock, meter, uploads, database } = setUp();
    meter.add('uploads', 2);
    const answer = holdAnswers(database);
    sampler.start();
    await clock.pass(3 * MINUTE_MS);
    database.answers = async () => {};
    answer();
    await clock.pass(MINUTE_MS);
    expect(uploads()).toEqual([2, 0]);
  });

  it('writes a last sample when it stops, after a write in progress', async () => {
    const { sampler, clock, meter, uploads, database } = setUp();
    const answer = holdAnswers(database);
    sampler.start();
    await clock.pass(1);
    meter.add('uploads', 2);
    database.answers = async () => {};
    const stopped = sampler.stop();
    answer();
    await stopped;
    await clock.pass(2 * MINUTE_MS);
    expect([uploads(), clock.timers()]).toEqual([[0, 2], 0]);
  });

  it('stops even when the database is unavailable, and logs the missing sample', async () => {
    const { sampler, database, warnings } = setUp();
    sampler.start();
    database.is_away = true;
    await sampler.stop();
    expect(warnings).toEqual(['Storing the last overview sample failed']);
  });
});
