import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { NewRecordingRow } from '#core/model/recording.ts';
import type { CastStore } from '#core/ports/casts.ts';
import { createRecordingsDirectory } from '#core/recordings/directory.ts';
import { createRecordingStoring } from '#core/recordings/storing.ts';
import { handClock } from '../../support/hand-clock.ts';
import { castsInMemory, recordingsInMemory } from './in-memory.ts';

const ROW: NewRecordingRow = {
  ...{ user_id: 7, username: 'ann', server_id: null, server_name: 'box', run_id: 'run' },
  ...{ started_at: '2026-01-02T03:04:05.678Z', ended_at: '2026-01-02T03:04:06.678Z', duration_s: 1 },
  ...{ size_bytes: 4, sha256: 'ab', status: 'finished', directory_id: 'ours', file_path: '' },
};
const AWAY = () => new Fault('recording_store_unreachable');
const MINUTE_MS = 60_000;

type Take = CastStore['take'];

/** Finished recordings, one for each path. */
async function setUp(paths: readonly string[], take: Take = async () => 'stored') {
  const clock = handClock();
  const memory = recordingsInMemory(['run']);
  const disk = castsInMemory();
  const logged: string[] = [];
  const working: Promise<unknown>[] = [];
  const taken: string[] = [];
  const setting = { take, directory_id: 'ours', check: async () => {} };
  const casts = {
    ...disk.casts,
    directoryId: async () => setting.directory_id,
    store: {
      id: 'the store',
      check: () => setting.check(),
      take(path: string, signal: AbortSignal) {
        taken.push(path);
        return setting.take(path, signal);
      },
    },
  };
  for (const file_path of paths) {
    disk.files.set(file_path, 'cast');
    await memory.recordings.insert({ ...ROW, file_path });
  }
  const tell = (_fields: object, message: string) => void logged.push(message);
  const storing = createRecordingStoring({
    ...{ repositories: memory, casts, clock, run_id: 'run' },
    directory: createRecordingsDirectory(casts),
    background: { run: (_what, work) => void working.push(work) },
    log: { info: tell, warn: tell, error: tell },
  });
  const pass = async (ms: number) => {
    await clock.pass(ms);
    await Promise.all(working.splice(0));
  };
  const places = () => [...memory.rows.values()].map(({ directory_id }) => directory_id);
  return { ...memory, ...disk, storing, setting, pass, places, taken, logged };
}

describe('A recording that is over', () => {
  it('is moved into the store at the start, and its row says so', async () => {
    const { storing, pass, places, taken } = await setUp(['a', 'b']);
    storing.start();
    await pass(1);
    expect([places(), taken]).toEqual([
      ['the store', 'the store'],
      ['a', 'b'],
    ]);
  });

  it('is moved soon after it was closed', async () => {
    const { recordings, storing, pass, places } = await setUp([]);
    storing.start();
    await pass(1);
    await recordings.insert({ ...ROW, file_path: 'later' });
    storing.soon();
    await pass(1000);
    expect(places()).toEqual(['the store']);
  });

  it('waits while the store is away, is tried again less and less often, and is moved when the store is back', async () => {
    const { storing, setting, pass, places, taken, logged } = await setUp(['a'], () =>
      Promise.reject(AWAY()),
    );
    storing.start();
    await pass(1);
    for (const ms of [1000, 2000, 4000, 8000, 16_000, 32_000, MINUTE_MS, MINUTE_MS]) {
      const before = taken.length;
      storing.soon(); // does not hurry it
      await pass(ms - 1);
      expect(taken.length).toBe(before);
      await pass(1);
      expect(taken.length).toBe(before + 1);
    }
    expect(places()).toEqual(['ours']);
    setting.take = async () => 'stored';
    await pass(MINUTE_MS);
    expect(places()).toEqual(['the store']);
    expect(logged).toEqual([
      'The recordings store cannot be used: recordings wait in SERVICE_RECORDINGS_DIR',
      'The recordings store can be used again',
    ]);
  });

  it('is moved though another one cannot be', async () => {
    const broken: Take = async (path) => {
      if (path === 'a') throw new Error('EIO');
      return 'stored';
    };
    const { storing, pass, places, logged } = await setUp(['a', 'b'], broken);
    storing.start();
    await pass(1);
    expect([places(), logged]).toEqual([['ours', 'the store'], ['A recording could not be moved']]);
  });

  it('stays where it is while it is still being written', async () => {
    const { storing, pass, places } = await setUp(['a'], async () => 'busy');
    storing.start();
    await pass(1);
    expect(places()).toEqual(['ours']);
  });

  it('without a file is not looked for again', async () => {
    const { storing, pass, places, logged } = await setUp(['a'], async () => 'missing');
    storing.start();
    await pass(1);
    expect([places(), logged]).toEqual([['the store'], ['The file of a recording is missing']]);
  });

  it('stays while its directory is not there, as when it is unmounted', async () => {
    const { recordings, storing, setting, pass, places, taken } = await setUp([]);
    storing.start();
    await pass(1);
    await recordings.insert({ ...ROW, file_path: 'a' });
    setting.directory_id = 'an empty mount point';
    await pass(MINUTE_MS);
    expect([places(), taken]).toEqual([['ours'], []]);
  });

  it('that is deleted while it is moved does not stay in the store', async () => {
    const scene = await setUp(['a'], async () => {
      scene.rows.clear();
      return 'stored';
    });
    scene.storing.start();
    await scene.pass(1);
    expect([...scene.files.keys()]).toEqual([]);
  });

  it('is moved by the stop of the gateway that ended it', async () => {
    const { recordings, storing, pass, places } = await setUp([]);
    storing.start();
    await pass(1);
    storing.windDown();
    await recordings.insert({ ...ROW, file_path: 'last' });
    storing.soon();
    await storing.stop();
    expect(places()).toEqual(['the store']);
  });

  it('holds up the stop of the gateway for ten seconds at most', async () => {
    const { storing, pass, places } = await setUp(['a'], () => new Promise(() => {}));
    storing.start();
    storing.windDown();
    const stopped = storing.stop();
    await pass(10_000);
    await stopped;
    expect(places()).toEqual(['ours']);
  });

  it('waits for the next start when the store is away', async () => {
    const { storing, pass, taken } = await setUp(['a'], () => Promise.reject(AWAY()));
    storing.start();
    await pass(1);
    storing.windDown();
    await storing.stop();
    await pass(MINUTE_MS);
    expect(taken).toEqual(['a']);
  });
});

describe('A recording that was deleted while the store was away', () => {
  it('is deleted from it later, and its row with it', async () => {
    const scene = await setUp(['a']);
    const { recordings, rows, files, storing, setting, pass } = scene;
    recordings.toRemove = async (_limit, place) =>
      [...rows.values()].filter(({ directory_id }) => directory_id === place);
    recordings.toStore = async () => [];
    setting.check = () => Promise.reject(AWAY());
    storing.start();
    await pass(1);
    expect([rows.size, files.size]).toEqual([1, 1]);
    setting.check = async () => {};
    await pass(1000);
    expect([rows.size, files.size]).toEqual([0, 0]);
  });
});
