import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { createReplacements, type PutInput } from '#core/files/replacements.ts';
import { createPartKeeper } from '#core/files/uploads/part-keeper.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { FileSession } from '#core/ports/files.ts';
import { handClock } from '../../support/hand-clock.ts';
import { uploadsInMemory } from './uploads-in-memory.ts';

const SERVER = { id: 3, name: 'box' } as ServerRow;
const PART = /^\/srv\/\.sallyport-[\w-]{12}\.part$/;
const PLACED = { size: 5, in_place: false, is_mode_kept: true };
const OLD = { kind: 'file', size: 1, mode: 0o640, modified: '2026-01-02T03:04:05Z' } as const;

async function* source() {
  yield new Uint8Array(5);
}

/** A host that obeys unless the test says otherwise. */
function setUp(host: Partial<FileSession> = {}) {
  const clock = handClock(1000);
  const { uploads, rows } = uploadsInMemory();
  const done: string[] = [];
  const left: number[] = [];
  const failures: unknown[] = [];
  const note =
    <T>(what: string, answer: T) =>
    async () => {
      done.push(what);
      return answer;
    };
  const session = {
    statOf: async () => undefined,
    putPart: note('put', PLACED),
    removePart: note('remove', undefined),
    ...host,
  } as unknown as FileSession;
  const keeper = createPartKeeper({
    repositories: { uploads },
    clock,
    background: { run: (_what, work) => void work.catch((error) => failures.push(error)) },
    left: (server_id) => left.push(server_id),
  });
  const put = (change: Partial<PutInput> = {}) =>
    createReplacements(keeper).put(session, SERVER, {
      user_id: 1,
      target_path: '/srv/a',
      source: source(),
      overwrite: true,
      signal: new AbortController().signal,
      ...change,
    });
  return { put, clock, rows, done, left, failures };
}

const broken = (code: Fault['code']) => async () => {
  throw new Fault(code);
};

describe('A replacement', () => {
  it('is stored before its part is created, and forgotten once the part is in place', async () => {
    const seen: unknown[] = [];
    const scene = setUp({
      putPart: async (path, _source, options) => {
        seen.push(path, [...scene.rows.values()], options);
        return PLACED;
      },
    });
    const beforePlace = async () => {};
    expect(await scene.put({ beforePlace })).toBe(PLACED);
    expect(seen).toEqual([
      expect.stringMatching(PART),
      [expect.objectContaining({ part_path: seen[0], server_id: 3, length: null })],
      expect.objectContaining({ target: '/srv/a', overwrite: true, beforePlace }),
    ]);
    expect([scene.rows.size, scene.clock.timers()]).toEqual([0, 0]);
  });

  it.each<Fault['code']>(['permission_denied', 'remote_disk_full', 'stale_etag', 'already_exists'])(
    'leaves nothing behind after %s',
    async (code) => {
      const { put, rows, done, clock } = setUp({ putPart: broken(code) });
      await expect(put()).rejects.toMatchObject({ code });
      expect([done, rows.size, clock.timers()]).toEqual([['remove'], 0, 0]);
    },
  );

  it.each([
    ['a file without overwrite', OLD, false, 'already_exists'],
    ['a directory', { ...OLD, kind: 'directory' as const }, true, 'not_a_file'],
    ['a device', { ...OLD, kind: 'other' as const }, true, 'not_a_file'],
  ])('of %s is refused before anything is sent', async (_what, found, overwrite, code) => {
    const { put, done } = setUp({ statOf: async () => found });
    await expect(put({ overwrite })).rejects.toMatchObject({ code });
    expect(done).toEqual([]);
  });

  it('is private if it replaces a file or gets the requested mode', async () => {
    const options: unknown[] = [];
    const putPart: FileSession['putPart'] = async (_path, _source, { is_private, mode }) => {
      options.push([is_private, mode]);
      return PLACED;
    };
    await setUp({ putPart }).put();
    await setUp({ putPart, statOf: async () => OLD }).put();
    await setUp({ putPart }).put({ mode: 0o600 });
    expect(options).toEqual([
      [false, undefined],
      [true, undefined],
      [true, 0o600],
    ]);
  });

  it('does not look at the target again when its caller just has', async () => {
    const scene = setUp({ statOf: broken('internal') });
    await scene.put({ present: { stat: undefined } });
    expect(scene.done).toEqual(['put']);
  });

  it('is queued for cleaning at once when its part cannot be removed', async () => {
    const gone = { putPart: broken('host_disconnected'), removePart: broken('host_disconnected') };
    const { put, rows, left, clock } = setUp(gone);
    await expect(put()).rejects.toMatchObject({ code: 'host_disconnected' });
    expect([...rows.values()]).toMatchObject([{ expires_at: clock.now().toISOString() }]);
    expect(left).toEqual([3]);
  });

  it('does not wait long for a removal that hangs', async () => {
    const hanging = { putPart: broken('remote_disk_full'), removePart: () => new Promise<void>(() => {}) };
    const { put, rows, left, clock } = setUp(hanging);
    const refused = expect(put()).rejects.toMatchObject({ code: 'remote_disk_full' });
    await clock.pass(11_000);
    await refused;
    expect([rows.size, left]).toEqual([1, [3]]);
  });

  it('is refreshed every minute and given up when a refresh is late', async () => {
    let aborted: AbortSignal | undefined;
    const scene = setUp({
      putPart: (_path, _source, { signal }) =>
        new Promise((_resolve, reject) => {
          aborted = signal;
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const refused = expect(scene.put()).rejects.toMatchObject({ code: 'upload_not_found' });
    await scene.clock.pass(60 * 60_000);
    expect(aborted?.aborted).toBe(false);
    const [row] = scene.rows.values();
    expect(Date.parse(row?.expires_at ?? '')).toBeGreaterThan(scene.clock.now().getTime() + 3 * 60_000);
    if (row) scene.rows.set(row.id, { ...row, abandoned: true });
    await scene.clock.pass(60_000);
    await refused;
    expect(scene.clock.timers()).toBe(0);
  });
});
