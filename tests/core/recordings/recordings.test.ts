import { describe, expect, it } from 'vitest';
import type { Tickets } from '#core/accounts/tickets.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { RecordingRow } from '#core/model/recording.ts';
import type { Casts } from '#core/ports/casts.ts';
import { createRecordingsDirectory } from '#core/recordings/directory.ts';
import { createRecorder } from '#core/recordings/recorder.ts';
import { createRecordings } from '#core/recordings/recordings.ts';
import { handClock } from '../../support/hand-clock.ts';
import { castsInMemory, logInMemory, recordingsInMemory } from './in-memory.ts';

const ANN = caller(7, 'ann');
const BOB = caller(8, 'bob');
const ADMIN = { ...caller(1, 'admin'), is_admin: true };
const NO_PAGING = { limit: 100, offset: 0 };

function caller(user_id: number, username: string): Caller {
  const scopes = ['read', 'files', 'terminal', 'admin'] as const;
  const credential = { kind: 'session', id: username } as const;
  const known: Partial<Caller> = {
    ...{ user_id, username, credential, scopes },
    ...{ is_admin: false, ip_address: '192.0.2.1' },
  };
  return known as Caller; // The parts of it that these services read.
}

/** One finished recording of Ann's. */
async function setUp(change: Partial<Casts> = {}) {
  const clock = handClock();
  const memory = recordingsInMemory(['run']);
  const disk = castsInMemory();
  const log = logInMemory();
  const works: Promise<unknown>[] = [];
  const casts = { ...disk.casts, ...change };
  const common = {
    ...{ casts, clock, trail: createAuditTrail({ chain: log.chain, clock }) },
    repositories: { recordings: memory.recordings, audit: log.audit },
    background: { run: (_what: string, work: Promise<unknown>) => void works.push(work) },
  };
  const recorder = createRecorder({
    ...common,
    directory: createRecordingsDirectory(common.casts),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    run_id: 'run',
    closed() {},
    settings: { values: { record_sessions: true, recording_max_bytes: 0 } },
  });
  const tickets = {
    forRecording: async (_caller: Caller, id: number) => ({ ticket: `t${id}`, expires_in: 60 }),
  };
  const recordings = createRecordings({
    ...common,
    tickets: tickets as unknown as Tickets,
    homes: { of: async () => ({ kind: 'here' }) },
    demo_mode: false,
  }); // The only ticket it issues.
  const tape = await recorder.begin(
    {
      ...{ caller: ANN, session_id: 's', record_sessions: null, size: { cols: 80, rows: 24 } },
      server: { id: null, name: 'a/b: "c"' },
    },
    { congested: () => undefined, stopped: () => undefined, written: () => undefined },
  );
  const end = async () => {
    await tape?.end();
    await Promise.all(works);
  };
  const row = (): RecordingRow => {
    const [first] = memory.rows.values();
    if (!first) throw new Error('No row');
    return first;
  };
  const views = () => log.entries.map(({ username, detail }) => `${username}: ${detail}`);
  const edit = (fields: Partial<RecordingRow>) => memory.rows.set(row().id, { ...row(), ...fields });
  return { ...memory, ...disk, ...log, clock, recordings, end, row, views, edit };
}

async function finished(change: Partial<Casts> = {}) {
  const scene = await setUp(change);
  await scene.end();
  scene.entries.splice(1); // The rest is about views.
  return scene;
}

describe('Recordings', () => {
  it('are converted to text at most two at a time per user and eight in total', async () => {
    const { recordings } = await finished();
    const users = [ADMIN, ...[101, 102, 103].map((user_id) => ({ ...ADMIN, user_id }))];
    const open = async (who: Caller) => (await recordings.text(who, 1)).stream;
    const streams = [await open(ADMIN), await open(ADMIN)];
    await expect(open(ADMIN)).rejects.toMatchObject({
      code: 'too_many_texts',
      detail: 'Two texts at a time',
    });
    for (const who of users.slice(1)) streams.push(await open(who), await open(who));
    await expect(open(ANN)).rejects.toMatchObject({ code: 'too_many_texts' });
    for (const stream of streams) await stream.cancel();
    await (await open(ANN)).cancel();
  });

  it('are visible to their owner and to administrators, and unknown to others', async () => {
    const { recordings } = await finished();
    const seen = async (who: Caller) => (await recordings.list(who, {}, NO_PAGING)).total;
    expect([await seen(ANN), await seen(BOB), await seen(ADMIN)]).toEqual([1, 0, 1]);
    expect(await recordings.get(ADMIN, 1)).toMatchObject({ id: 1, username: 'ann' });
    const verbs = [
      recordings.get(BOB, 1),
      recordings.remove(BOB, 1),
      recordings.ticket(BOB, 1),
      recordings.cast(BOB, 1, 'cast'),
      recordings.text(BOB, 1),
      recordings.replay(BOB, 1),
      recordings.verify(BOB, 1),
      recordings.get(ANN, 2),
    ];
    for (const verb of verbs) await expect(verb).rejects.toMatchObject({ code: 'recording_not_found' });
  });

  it('of others need the admin scope in an API key', async () => {
    const { recordings } = await finished();
    const key: Caller = { ...ADMIN, scopes: ['read'] };
    expect((await recordings.list(key, {}, NO_PAGING)).total).toBe(0);
    await expect(recordings.get(key, 1)).rejects.toMatchObject({ code: 'recording_not_found' });
  });

  it('do not expose run, hash and user id', async () => {
    const { recordings } = await finished();
    expect(Object.keys(await recordings.get(ANN, 1)).sort()).toEqual(
      [
        ...['id', 'server_id', 'server_name', 'username', 'started_at', 'ended_at', 'duration_s'],
        ...['size_bytes', 'file_path', 'status'],
      ].sort(),
    );
  });

  it('have file names that any file system accepts', async () => {
    const { recordings } = await finished();
    const { name } = await recordings.cast(ANN, 1, 'download');
    expect(name).toBe('a-b- -c--2026-01-02T03-04-05Z.cast');
  });

  it('are not found when the file is gone', async () => {
    const { recordings, files } = await finished();
    files.clear();
    for (const verb of [recordings.cast(ANN, 1, 'cast'), recordings.text(ANN, 1), recordings.replay(ANN, 1)])
      await expect(verb).rejects.toMatchObject({ code: 'recording_file_missing' });
  });

  it('have an ETag that changes as they grow', async () => {
    const { recordings, files, row } = await setUp();
    const before = await recordings.cast(ANN, 1, 'cast');
    files.set(row().file_path, 'longer than it was before');
    expect((await recordings.cast(ANN, 1, 'cast')).etag).not.toBe(before.etag);
  });
});

describe('A view of a recording', () => {
  it('is recorded in the audit log once in ten minutes, per user and kind', async () => {
    const { recordings, clock, views, entries } = await finished();
    entries.splice(0);
    for (const who of [ANN, ANN, ADMIN]) await recordings.text(who, 1);
    await recordings.cast(ANN, 1, 'download');
    await clock.pass(10 * 60_000);
    await recordings.text(ANN, 1);
    const text = '#1 of ann on a/b: "c", started 2026-01-02T03:04:05.678Z: read as text';
    expect(views()).toEqual([
      `ann: ${text}`,
      `admin: ${text}`,
      'ann: #1 of ann on a/b: "c", started 2026-01-02T03:04:05.678Z: downloaded',
      `ann: ${text}`,
    ]);
  });

  it('on the page counts together with the cast that the page fetches', async () => {
    const { recordings, views, entries } = await finished();
    entries.splice(0);
    expect((await recordings.replay(ANN, 1)).ticket).toBe('t1');
    expect((await recordings.replay(ANN, 1, 'opened-with')).ticket).toBe('opened-with'); // It must not extend its own window.
    await recordings.cast(ANN, 1, 'cast');
    expect(views()).toEqual(['ann: #1 of ann on a/b: "c", started 2026-01-02T03:04:05.678Z: played']);
  });
});

describe('Deleting a recording', () => {
  it('removes the file and the row, and is audited', async () => {
    const { recordings, rows, files, views } = await finished();
    await recordings.remove(ANN, 1);
    expect([rows.size, files.size]).toEqual([0, 0]);
    expect(views().at(-1)).toBe('ann: #1 of ann on a/b: "c", started 2026-01-02T03:04:05.678Z');
  });

  it('is refused while the recording is in progress', async () => {
    const { recordings, files } = await setUp();
    await expect(recordings.remove(ANN, 1)).rejects.toMatchObject({ code: 'recording_in_progress' });
    expect(files.size).toBe(1);
  });

  it('keeps the row when the file cannot be removed', async () => {
    const remove = async () => {
      throw new Error('EACCES');
    };
    const { recordings, rows } = await finished({ remove });
    await expect(recordings.remove(ANN, 1)).rejects.toThrow('EACCES');
    expect(rows.size).toBe(1);
  });
});

describe('Verifying a recording', () => {
  it('accepts a file that is unchanged since it was closed', async () => {
    const { recordings, row, endOf } = await finished();
    const { sha256, size_bytes } = endOf(row().file_path);
    expect(await recordings.verify(ANN, 1)).toEqual({
      ...{ ok: true, reason: null, sha256, expected_sha256: sha256, size_bytes, audit_entry_id: 1 },
    });
  });

  it('detects a changed file', async () => {
    const { recordings, row, files, endOf } = await finished();
    const before = endOf(row().file_path).sha256;
    files.set(row().file_path, 'something else');
    expect(await recordings.verify(ANN, 1)).toMatchObject({
      ...{ ok: false, reason: 'changed', expected_sha256: before, sha256: endOf(row().file_path).sha256 },
    });
  });

  it.each([{ sha256: 'ab' }, { size_bytes: 1 }, { user_id: 1 }])(
    'detects an edited row: %o',
    async (fields) => {
      const { recordings, edit } = await finished();
      edit(fields);
      expect(await recordings.verify(ADMIN, 1)).toMatchObject({ ok: false, reason: 'row_changed' });
    },
  );

  it('detects a row that points to the file of another recording', async () => {
    const { recordings, edit, files } = await finished();
    files.set('other.cast', 'of somebody else');
    edit({ file_path: 'other.cast' });
    expect(await recordings.verify(ANN, 1)).toMatchObject({ ok: false, reason: 'not_in_audit_log' });
  });

  it('detects a missing file', async () => {
    const { recordings, files } = await finished();
    files.clear();
    expect(await recordings.verify(ANN, 1)).toMatchObject({ reason: 'file_missing', sha256: null });
  });

  it('reports a recording in progress', async () => {
    const { recordings } = await setUp();
    expect(await recordings.verify(ANN, 1)).toMatchObject({ ok: false, reason: 'in_progress', sha256: null });
  });

  it('trusts the last entry of the instance that wrote the recording', async () => {
    const { recordings, row, entries } = await finished();
    const detail = `#1 ${row().file_path}: sha256 ${'0'.repeat(64)}, 1 bytes, x, interrupted, of ann`;
    const early = { id: 90, action: 'recording_close', user_id: 7, username: 'ann', detail };
    entries.unshift({ ...early, ip_address: '', created_at: '', chain_id: 'b', seq: 1, hash: '' });
    expect(await recordings.verify(ANN, 1)).toMatchObject({ ok: true, audit_entry_id: 1 });
  });
});
