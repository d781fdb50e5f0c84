import { describe, expect, it } from 'vitest';
import { asDatabaseClock } from '#core/instances/database-clock.ts';
import { createInstances, INSTANCE_TIMES } from '#core/instances/instances.ts';
import { silent as noLog } from '../../support/databases/stores.ts';
import { handClock } from '../../support/hand-clock.ts';

const BEAT_MS = 10_000;
const FIRST = ['beat http://a.test 30000', 'take over', 'supersede run', 'silent', 'cleanUp true'];
const ROUND = ['beat http://a.test 30000', 'silent', 'cleanUp false'];
const OTHER = {
  run_id: 'other',
  instance_id: 'other',
  machine: 'far',
  url: 'http://b.test',
  proof: 'proof',
  clock_skew_ms: 0,
  recordings_directory_id: null,
  version: null,
  silent_ms: 1,
};

/** What the instance asks of the database, and how it answers. */
function setUp() {
  const clock = handClock();
  const asked: string[] = [];
  const sent: string[] = [];
  let proofs = 0;
  const failures: unknown[] = [];
  const database = {
    is_away: false,
    was_running: true,
    has_handed_over: false,
    answers: async () => {},
    cleanUp: async () => {},
  };
  const judged: boolean[] = [];
  let silent: (typeof OTHER)[] = [];
  async function ask(what: string): Promise<void> {
    asked.push(what);
    await database.answers();
    if (database.is_away) throw new Error(what);
  }
  const instances = createInstances({
    repositories: {
      instances: {
        beat: async ({ url, proof }, ttl_ms) => {
          sent.push(proof);
          await ask(`beat ${url} ${ttl_ms}`);
          return sent.length > 1 && database.was_running;
        },
        supersede: ({ run_id }) => ask(`supersede ${run_id}`),
        remove: (run_id) => ask(`remove ${run_id}`),
        silent: async () => {
          await ask('silent');
          return silent;
        },
        removeSilent: (run_ids) => ask(`removeSilent ${run_ids}`),
        doubt: () => Promise.resolve(),
        running: () => Promise.resolve([]),
        time: () => Promise.resolve(clock.now()),
      },
    },
    clock: asDatabaseClock(clock),
    log: noLog,
    background: { run: (_what, work) => void work.catch((error) => failures.push(error)) },
    run_id: 'run',
    instance_id: 'instance',
    machine: 'machine',
    version: '1.2.3',
    times: INSTANCE_TIMES,
    proofs: { sign: async () => `proof ${++proofs}` },
    recordingsDirectoryId: () => null,
    findEnded: async (rows, is_settled) => {
      judged.push(is_settled);
      return is_settled ? rows.map(({ run_id }) => run_id) : [];
    },
    takeOver: () => ask('take over'),
    hasHandedOver: () => database.has_handed_over,
    cleanUp: async (is_forgotten) => {
      asked.push(`cleanUp ${is_forgotten}`);
      await database.cleanUp();
    },
  });
  const fallSilent = () => {
    silent = [OTHER];
  };
  return { instances, clock, asked, sent, failures, database, judged, fallSilent };
}

describe('An instance', () => {
  it('replaces an earlier instance with the same address and then cleans up', async () => {
    const { instances, clock, asked } = setUp();
    await instances.start('http://a.test');
    await clock.pass(1);
    expect(asked).toEqual(FIRST);
  });

  it('sends a heartbeat every ten seconds', async () => {
    const { instances, clock, asked } = setUp();
    await instances.start('http://a.test');
    await clock.pass(3 * BEAT_MS);
    expect(asked).toEqual([...FIRST, ...ROUND, ...ROUND, ...ROUND]);
  });

  it('stays announced when another process continues its terminals', async () => {
    const { instances, asked, database } = setUp();
    await instances.start('http://a.test');
    database.has_handed_over = true;
    await instances.stop();
    expect(asked).not.toContain('remove run');
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
    await expect(instances.start('http://a.test')).rejects.toThrow('beat http://a.test 30000');
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
    expect(asked).toEqual([...FIRST, ROUND[0], ROUND[0]]);
  });

  it('judges others by their silence once its own heartbeats have succeeded for 30 s', async () => {
    const { instances, clock, asked, judged, fallSilent } = setUp();
    fallSilent();
    await instances.start('http://a.test');
    await clock.pass(4 * BEAT_MS);
    expect(judged).toEqual([false, false, false, true, true]);
    expect(asked.filter((what) => what.startsWith('removeSilent'))).toEqual([
      'removeSilent other',
      'removeSilent other',
    ]);
  });

  it.each([
    ['a failed heartbeat', { is_away: true }],
    ['a freeze that others noticed', { was_running: false }],
  ])('judges nobody for another 30 s after %s', async (_what, trouble) => {
    const { instances, clock, judged, database, fallSilent } = setUp();
    await instances.start('http://a.test');
    await clock.pass(5 * BEAT_MS);
    Object.assign(database, trouble);
    await clock.pass(BEAT_MS);
    Object.assign(database, { is_away: false, was_running: true });
    fallSilent();
    await clock.pass(2 * BEAT_MS);
    expect(judged).toEqual([false, false]);
  });

  it('stores everything again after others have counted it as ended', async () => {
    const { instances, clock, asked, database } = setUp();
    await instances.start('http://a.test');
    await clock.pass(BEAT_MS);
    database.was_running = false;
    await clock.pass(BEAT_MS);
    expect(asked.at(-1)).toBe('cleanUp true');
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
