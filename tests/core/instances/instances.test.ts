import { describe, expect, it } from 'vitest';
import { createInstances } from '#core/instances/instances.ts';
import { handClock } from '../../support/hand-clock.ts';

const BEAT_MS = 10_000;
const ROUND = ['beat http://a.test 30000', 'removeExpired', 'removeOrphans', 'cleanUp'];

/** What the instance asks of the database, and how it answers. */
function setUp() {
  const clock = handClock();
  const asked: string[] = [];
  const sent: string[] = [];
  let proofs = 0;
  const failures: unknown[] = [];
  const database = { is_away: false, answers: async () => {}, cleanUp: async () => {} };
  async function ask(what: string): Promise<void> {
    asked.push(what);
    await database.answers();
    if (database.is_away) throw new Error(what);
  }
  const instances = createInstances({
    repositories: {
      instances: {
        beat: ({ url, proof }, ttl_ms) => {
          sent.push(proof);
          return ask(`beat ${url} ${ttl_ms}`);
        },
        supersede: ({ run_id }) => ask(`supersede ${run_id}`),
        remove: (run_id) => ask(`remove ${run_id}`),
        removeExpired: () => ask('removeExpired'),
        running: () => Promise.resolve([]),
      },
      terminal_sessions: { removeOrphans: () => ask('removeOrphans') },
    },
    clock,
    background: { run: (_what, work) => void work.catch((error) => failures.push(error)) },
    run_id: 'run',
    instance_id: 'instance',
    machine: 'machine',
    proofs: { sign: async () => `proof ${++proofs}` },
    cleanUp: async () => {
      asked.push('cleanUp');
      await database.cleanUp();
    },
  });
  return { instances, clock, asked, sent, failures, database };
}

describe('An instance', () => {
  it('replaces an earlier instance with the same address and then cleans up', async () => {
    const { instances, clock, asked } = setUp();
    await instances.start('http://a.test');
    await clock.pass(1);
    expect(asked).toEqual(['supersede run', ...ROUND]);
  });

  it('sends a heartbeat every ten seconds', async () => {
    const { instances, clock, asked } = setUp();
    await instances.start('http://a.test');
    await clock.pass(3 * BEAT_MS);
    expect(asked).toEqual(['supersede run', ...ROUND, ...ROUND, ...ROUND, ...ROUND]);
  });

  it('proves its address again with each heartbeat, because proofs expire', async () => {
    const { instances, clock, sent } = setUp();
    await instances.start('http://a.test');
    await clock.pass(2 * BEAT_MS);
    expect(sent).toEqual(['proof 1', 'proof 2', 'proof 3']);
  });

  it('does not start while the database does not answer', async () => {
    const { instances, clock, database } = setUp();
    database.is_away = true;
    await expect(instances.start('http://a.test')).rejects.toThrow('supersede run');
    expect(clock.timers()).toBe(0);
  });

  it('continues after a failed heartbeat', async () => {
    const { instances, clock, asked, failures, database } = setUp();
    await instances.start('http://a.test');
    await clock.pass(1);
    database.is_away = true;
    await clock.pass(BEAT_MS);
    database.is_away = false;
    asked.length = 0;
    await clock.pass(BEAT_MS);
    expect({ asked, failures }).toEqual({ asked: ROUND, failures: [new Error(ROUND[0])] });
  });

  it('keeps sending heartbeats while cleaning up takes long', async () => {
    const { instances, clock, asked, database } = setUp();
    database.cleanUp = () => new Promise(() => {});
    await instances.start('http://a.test');
    await clock.pass(2 * BEAT_MS);
    expect(asked).toEqual(['supersede run', ...ROUND, ROUND[0], ROUND[0]]);
  });

  it('is removed when it stops, after a heartbeat in progress', async () => {
    const { instances, clock, asked, database } = setUp();
    await instances.start('http://a.test');
    await clock.pass(1);
    let answer = () => {};
    database.answers = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await clock.pass(BEAT_MS);
    const stopped = instances.stop();
    await clock.pass(1);
    expect(asked.at(-1)).toBe(ROUND[0]);
    database.answers = async () => {};
    answer();
    await stopped;
    await clock.pass(2 * BEAT_MS);
    expect(asked.filter((what) => /^(beat|remove run)/.test(what)).slice(-2)).toEqual([
      ROUND[0],
      'remove run',
    ]);
    expect(clock.timers()).toBe(0);
  });
});
