import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '#core/audit/trail.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { Casts } from '#core/ports/casts.ts';
import type { RecordingRepository } from '#core/ports/repositories/recordings.ts';
import type { Log } from '#core/ports/runtime.ts';
import { createRecordingsDirectory } from '#core/recordings/directory.ts';
import { createRecorder, type Recorded } from '#core/recordings/recorder.ts';
import type { RecordingListener } from '#core/recordings/sink.ts';
import { handClock } from '../../support/hand-clock.ts';
import { castsInMemory, logInMemory, recordingsInMemory } from './in-memory.ts';

const CALLER = { user_id: 7, username: 'ann', ip_address: '192.0.2.1', via: 'api' } as Caller; // The parts of it that a recorder reads.
const SIZE = { cols: 80, rows: 24 };
const SESSION: Recorded = {
  ...{ caller: CALLER, session_id: 's1', record_sessions: null, size: SIZE },
  server: { id: null, name: 'root@box' },
};
const FILE = /^2026-01\/20260102T030405Z-[\w-]{12}\.cast$/;
const OWN_RUN = 'run-1';
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

interface Setting {
  readonly enabled?: boolean;
  readonly recordings?: Partial<RecordingRepository>;
  readonly casts?: Partial<Casts>;
}

function setUp({ enabled = true, ...setting }: Setting = {}) {
  const clock = handClock();
  const memory = recordingsInMemory([OWN_RUN, 'run-2']);
  const disk = castsInMemory();
  const log = logInMemory();
  const works: Promise<unknown>[] = [];
  const logged: unknown[] = [];
  const tell = (fields: object, message: string) => void logged.push([message, fields]);
  const recorder = createRecorder({
    repositories: { recordings: { ...memory.recordings, ...setting.recordings } },
    casts: { ...disk.casts, ...setting.casts },
    directory: createRecordingsDirectory(disk.casts),
    trail: createAuditTrail({ chain: log.chain, clock }),
    clock,
    background: { run: (_what, work) => void works.push(work) },
    log: { ...SILENT, error: tell, warn: tell },
    run_id: OWN_RUN,
    closed() {},
    settings: { values: { record_sessions: enabled, recording_max_bytes: 0 } },
  });
  const heard: unknown[] = [];
  const listener: RecordingListener = {
    congested: (is_congested) => heard.push(is_congested),
    stopped: (why) => heard.push(why),
    written: () => undefined,
  };
  const tape = async (change: Partial<Recorded> = {}) => {
    const begun = await recorder.begin({ ...SESSION, ...change }, listener);
    if (!begun) throw new Error('Not recorded');
    return begun;
  };
  const done = () => Promise.allSettled(works);
  const told = () => log.entries.map(({ action, detail }) => `${action} ${detail}`);
  return { ...memory, ...disk, ...log, clock, recorder, listener, tape, heard, logged, done, told };
}

describe('A recording', () => {
  it.each([
    [true, null, true],
    [false, null, false],
    [false, true, true],
    [true, false, false],
  ])(
    'is made where recording is on (%s) unless the server overrides it (%s): %s',
    async (enabled, own, made) => {
      const { recorder, listener, rows } = setUp({ enabled });
      const tape = await recorder.begin({ ...SESSION, record_sessions: own }, listener);
      expect([tape !== undefined, rows.size]).toEqual([made, made ? 1 : 0]);
    },
  );

  it('has a row and a file from the start', async () => {
    const { tape, rows, files } = setUp();
    await tape({ server: { id: 3, name: 'web-1' } });
    expect(rows.get(1)).toEqual({
      ...{ id: 1, user_id: 7, username: 'ann', server_id: 3, server_name: 'web-1', run_id: OWN_RUN },
      directory_id: null,
      ...{
        started_at: '2026-01-02T03:04:05.678Z',
        status: 'recording',
        file_path: expect.stringMatching(FILE),
      },
      ...{ ended_at: null, duration_s: null, size_bytes: null, sha256: null },
    });
    expect([...files.keys()]).toEqual([rows.get(1)?.file_path]);
  });

  it('is closed with end, duration, size and hash, and the hash is in the audit log', async () => {
    const { tape, rows, clock, done, told, entries, endOf } = setUp();
    const running = await tape();
    running.output(new TextEncoder().encode('hello'));
    running.resize({ cols: 9, rows: 8 });
    await clock.pass(2000);
    await running.end();
    await running.end();
    await done();
    const path = rows.get(1)?.file_path ?? '';
    const { sha256 } = endOf(path);
    expect(rows.get(1)).toMatchObject({
      ...{ status: 'finished', ended_at: '2026-01-02T03:04:07.678Z' },
      ...{ duration_s: 1.5, size_bytes: 17, sha256 },
    });
    expect(told()).toEqual([`recording_close #1 ${path}: sha256 ${sha256}, 17 bytes, root@box`]);
    expect(entries[0]).toMatchObject({ user_id: 7, username: 'ann', ip_address: '192.0.2.1', via: 'api' });
  });

  it('is in the audit log before anybody can see that it is finished', async () => {
    const seen: string[] = [];
    const scene = setUp({
      recordings: {
        async close(id, end) {
          seen.push(...scene.told());
          return scene.recordings.close(id, end);
        },
      },
    });
    await (await scene.tape()).end();
    await scene.done();
    expect(seen).toEqual([expect.stringContaining('recording_close #1')]);
  });

  it.each([
    ['limit', 'size limit reached'],
    ['disk_full', 'disk full'],
    ['failed', 'file cannot be written'],
  ] as const)('that stops early (%s) is closed and reported', async (why, words) => {
    const { tape, rows, listeners, endOf, heard, done, told } = setUp();
    const running = await tape();
    const path = rows.get(1)?.file_path ?? '';
    listeners[0]?.congested(true);
    listeners[0]?.stopped(why, endOf(path));
    await running.end();
    await done();
    expect(heard).toEqual([true, why]);
    expect(rows.get(1)).toMatchObject({ status: 'finished', size_bytes: 9 });
    expect(told()).toEqual([
      `recording_stop #1 ${path}: ${words}, session continues`,
      expect.stringContaining('recording_close #1'),
    ]);
  });

  it('reports a disk that fills up in the last flush, with the system’s error for the operator', async () => {
    const { tape, rows, listeners, endOf, heard, logged, done, told } = setUp();
    const running = await tape();
    const path = rows.get(1)?.file_path ?? '';
    void running.end();
    listeners[0]?.stopped('disk_full', endOf(path), 'ENOSPC: no space left');
    await done();
    expect(heard).toEqual([]);
    expect(told()[0]).toBe(`recording_stop #1 ${path}: disk full`);
    expect(logged).toEqual([
      ['A recording was stopped early', { recording: 1, path, reason: 'ENOSPC: no space left' }],
    ]);
  });

  it('causes a warning at boot when it cannot be made', async () => {
    const err = new Error('EACCES');
    const { recorder, logged } = setUp({ casts: { probe: () => Promise.reject(err) } });
    await recorder.probe();
    expect(logged).toEqual([[expect.stringContaining('SERVICE_RECORDINGS_DIR cannot be written'), { err }]]);
  });

  it('refuses the session and leaves no row when its file cannot be created', async () => {
    const broken = async () => {
      throw new Error('EROFS');
    };
    const { recorder, listener, rows, done, told } = setUp({ casts: { create: broken } });
    await expect(recorder.begin(SESSION, listener)).rejects.toMatchObject({ code: 'recording_failed' });
    await done();
    expect(rows.size).toBe(0);
    expect(told()).toEqual(['recording_stop root@box: session refused because it cannot be recorded']);
  });

  it('refuses the session and creates no file when its row cannot be stored', async () => {
    const insert = async () => {
      throw new Error('No database');
    };
    const { recorder, listener, files } = setUp({ recordings: { insert } });
    await expect(recorder.begin(SESSION, listener)).rejects.toMatchObject({ code: 'recording_failed' });
    expect(files.size).toBe(0);
  });
});

describe('A recording that could not be closed', () => {
  it('is closed when the database is back', async () => {
    let is_away = true;
    const scene = setUp({
      recordings: {
        async close(id, end) {
          if (is_away) throw new Error('No database');
          return scene.recordings.close(id, end);
        },
      },
    });
    await (await scene.tape()).end();
    await scene.done();
    expect(scene.rows.get(1)?.status).toBe('recording');
    is_away = false;
    await scene.recorder.recover();
    await scene.recorder.recover();
    expect(scene.rows.get(1)?.status).toBe('finished');
    expect(scene.told()).toEqual([expect.stringContaining('recording_close #1')]);
  });

  it('is reported once, even when the answer of the database was lost', async () => {
    let is_lost = true;
    const scene = setUp({
      recordings: {
        async close(id, end) {
          const closed = await scene.recordings.close(id, end);
          if (is_lost) throw new Error('No answer');
          return closed;
        },
      },
    });
    await (await scene.tape()).end();
    await scene.done();
    is_lost = false;
    await scene.recorder.recover();
    expect(scene.told()).toEqual([expect.stringContaining('recording_close #1')]);
  });
});

describe('Recordings of instances that have gone', () => {
  const left = (scene: ReturnType<typeof setUp>, run_id: string, file_path: string) =>
    scene.recordings.insert({
      ...{ user_id: 9, username: 'bob', server_id: 3, server_name: 'web-1', run_id, file_path },
      directory_id: null,
      ...{ started_at: '2026-01-02T01:00:00.000Z', status: 'recording' },
      ...{ ended_at: null, duration_s: null, size_bytes: null, sha256: null },
    });

  it('are closed as interrupted, with what their files hold', async () => {
    const scene = setUp();
    scene.files.set('a.cast', 'what was written');
    await left(scene, 'gone', 'a.cast');
    await scene.recorder.recover();
    const { sha256 } = scene.endOf('a.cast');
    expect(scene.rows.get(1)).toMatchObject({
      ...{ status: 'interrupted', ended_at: '2026-01-02T01:00:01.500Z' },
      ...{ duration_s: 1.5, size_bytes: 16, sha256 },
    });
    expect(scene.told()).toEqual([
      `recording_close #1 a.cast: sha256 ${sha256}, 16 bytes, web-1 (#3), interrupted, of bob`,
    ]);
  });

  it('are closed without a hash when the file is gone too', async () => {
    const scene = setUp();
    await left(scene, 'gone', 'a.cast');
    await scene.recorder.recover();
    expect(scene.rows.get(1)).toMatchObject({ status: 'interrupted', size_bytes: 0, sha256: null });
    expect(scene.told()).toEqual(['recording_close #1 a.cast: no file, web-1 (#3), interrupted, of bob']);
  });

  it('are left open while their instance runs', async () => {
    const scene = setUp();
    await left(scene, OWN_RUN, 'a.cast');
    await left(scene, 'run-2', 'b.cast');
    await scene.recorder.recover();
    expect([...scene.rows.values()].map(({ status }) => status)).toEqual(['recording', 'recording']);
  });

  it('are reported by the instance that closes them', async () => {
    const scene = setUp({ recordings: { close: async () => false } });
    scene.files.set('a.cast', '');
    await left(scene, 'gone', 'a.cast');
    await scene.recorder.recover();
    expect(scene.told()).toEqual([]);
  });

  it('do not block the others when one cannot be read', async () => {
    const scene = setUp({
      casts: {
        async digest(path) {
          if (path === 'a.cast') throw new Error('EIO');
          return scene.endOf(path);
        },
      },
    });
    scene.files.set('b.cast', '');
    await left(scene, 'gone', 'a.cast');
    await left(scene, 'gone', 'b.cast');
    await scene.recorder.recover();
    expect([...scene.rows.values()].map(({ status }) => status)).toEqual(['recording', 'interrupted']);
  });
});
