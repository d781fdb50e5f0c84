import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createObjectStore } from '#worker/recording/store/object-store.ts';
import { eventually } from '../../support/eventually.ts';
import { type S3Server, startS3 } from '../../support/s3/s3-server.ts';
import { failureOf, manualClock } from '../setup.ts';
import { listen, openFolder, outputIn, utf8 } from './cast-folder.ts';

const PART = 1000;
const FOREVER = new AbortController().signal;
const LINES = Array.from({ length: 300 }, (_, i) => `line ${i} of what was shown\r\n`);

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3(PART);
});
afterAll(() => s3.stop());
beforeEach(() => {
  s3.fail(undefined);
  s3.requests.splice(0);
});

const keyOf = (path: string) => `casts/${path}`;

describe('a recording that goes into a store', () => {
  const spooled = (spool_max_bytes = 0) => ({
    objects: createObjectStore(s3.options),
    ...{ spool_max_bytes, part_bytes: PART },
  });
  const folder = (options: Parameters<typeof openFolder>[0] & { max?: number } = {}) => {
    const { casts, ...rest } = openFolder({ ...options, store: spooled(options.max) });
    if (!casts.store) throw new Error('No store');
    return { casts, store: casts.store, ...rest };
  };
  /** The store of another process on the same directory. */
  const restarted = (dir: string) => folder({ dir });

  it('is uploaded in parts while it is written, and is whole when it is over', async () => {
    const { store, record } = folder();
    const { writer, path, file } = await record();
    for (const line of LINES) writer.output(utf8(line));
    await expect.poll(() => s3.requests.filter((what) => what === 'PUT part').length).toBeGreaterThan(3);
    expect([s3.uploads(), s3.objects.has(keyOf(path))]).toEqual([[keyOf(path)], false]);
    expect(await store.take(path, FOREVER)).toBe('busy');
    const end = await writer.close();
    const content = readFileSync(file);
    expect(await store.take(path, FOREVER)).toBe('stored');
    expect([s3.uploads(), existsSync(file)]).toEqual([[], false]);
    expect(s3.objects.get(keyOf(path))?.equals(content)).toBe(true);
    expect(createHash('sha256').update(content).digest('hex')).toBe(end.sha256);
  });

  /** A closed recording of several parts, still in the directory. */
  async function closed({ record }: ReturnType<typeof folder>) {
    const { writer, path, file } = await record();
    for (const line of LINES) writer.output(utf8(line));
    const end = await writer.close();
    return { path, file, end, content: readFileSync(file) };
  }
  const stored = async (on = folder()) => {
    const one = await closed(on);
    expect(await on.store.take(one.path, FOREVER)).toBe('stored');
    return { ...on, ...one };
  };

  it('that is small is one object, without parts', async () => {
    const { store, record } = folder();
    const { writer, path } = await record();
    await writer.close();
    s3.requests.splice(0);
    await store.take(path, FOREVER);
    expect(s3.requests).not.toContain('POST begin');
    expect(s3.objects.has(keyOf(path))).toBe(true);
  });

  it('counts as waiting until it is stored, and other files of the directory never do', async () => {
    const { casts, store, record } = folder();
    await casts.directoryId({ create: true });
    const { writer, path } = await record();
    const { size_bytes } = await writer.close();
    expect(await casts.backlog()).toEqual({ files: 1, bytes: size_bytes });
    await store.take(path, FOREVER);
    expect(await casts.backlog()).toEqual({ files: 0, bytes: 0 });
  });

  it('is read, searched, hashed and turned into text from the store', async () => {
    const { casts, path, content, end } = await stored();
    expect(await casts.size(path)).toBe(content.length);
    expect(await text(casts.read(path))).toBe(content.toString());
    expect(await text(casts.read(path, { start: 10, end: 20 }))).toBe(content.toString().slice(10, 20));
    expect(await text(casts.read(path, { start: content.length, end: undefined }))).toBe('');
    expect(await casts.digest(path)).toEqual(end);
    expect(await text(casts.text(path))).toContain('line 299 of what was shown');
    expect(await casts.search(path, 'LINE 42 ', FOREVER)).toMatchObject([
      { line: 'line 42 of what was shown' },
    ]);
  });

  it('longer than one request is read whole, by range, and hashed', async () => {
    const { casts } = folder();
    const content = Buffer.alloc(2_500_000, 'abcdefghi\n');
    s3.objects.set(keyOf('long.cast'), content);
    expect((await text(casts.read('long.cast'))).length).toBe(content.length);
    const range = await text(casts.read('long.cast', { start: 1_048_570, end: 1_048_590 }));
    expect(range).toBe(content.subarray(1_048_570, 1_048_590).toString());
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(await casts.digest('long.cast')).toMatchObject({ size_bytes: content.length, sha256 });
  });

  it('is asked for only as fast as it is read', async () => {
    const { casts } = folder();
    s3.objects.set(keyOf('slow.cast'), Buffer.alloc(5_000_000));
    const reader = casts.read('slow.cast').getReader();
    await reader.read();
    expect(s3.requests).toEqual(['GET object']);
    await reader.cancel();
  });

  it('that was changed in the store has another hash', async () => {
    const { casts, path, content, end } = await stored();
    s3.objects.set(keyOf(path), Buffer.concat([content, utf8('[9,"o","x"]\n')]));
    expect((await casts.digest(path)).sha256).not.toBe(end.sha256);
  });

  it('that neither the directory nor the store has is missing', async () => {
    const { casts, store } = folder();
    const missing = { code: 'recording_file_missing' };
    expect(await store.take('none.cast', FOREVER)).toBe('missing');
    expect(await failureOf(casts.size('none.cast'))).toMatchObject(missing);
    expect(await failureOf(casts.digest('none.cast'))).toMatchObject(missing);
    expect(await failureOf(text(casts.read('none.cast')))).toMatchObject(missing);
    expect(await failureOf(text(casts.text('none.cast')))).toMatchObject(missing);
    expect(await failureOf(casts.search('none.cast', 'x', FOREVER))).toMatchObject(missing);
  });

  it('keeps its file when the store has stored something else', async () => {
    const { store, ...rest } = folder();
    const { path, file } = await closed({ store, ...rest });
    const { set } = s3.objects;
    s3.objects.set = (key, bytes) => set.call(s3.objects, key, bytes.fill(0x20, 0, 1));
    expect(await failureOf(store.take(path, FOREVER))).toMatchObject({ code: 'recording_store_refused' });
    expect(existsSync(file)).toBe(true);
    s3.objects.set = set;
    expect(await store.take(path, FOREVER)).toBe('stored');
    expect(existsSync(file)).toBe(false);
  });

  describe('while the store is away', () => {
    it('is recorded further, and goes on where it was when the store is back', async () => {
      const clock = manualClock();
      const { store, record } = folder({ clock });
      const { writer, path, file } = await record();
      const write = (from: number, to: number) => {
        for (const line of LINES.slice(from, to)) writer.output(utf8(line));
        clock.advance(200);
      };
      const parts = () => s3.requests.filter((what) => what === 'PUT part').length;
      write(0, 100);
      await expect.poll(parts).toBeGreaterThan(0);
      await expect.poll(() => s3.uploads()).toEqual([keyOf(path)]);
      await s3.stop();
      write(100, 200);
      await expect.poll(() => readFileSync(file).includes('line 199')).toBe(true);
      await s3.start();
      s3.requests.splice(0);
      await eventually(async () => {
        clock.advance(60_000);
        if (parts() === 0) throw new Error('Not tried again');
      });
      write(200, 300);
      await writer.close();
      const content = readFileSync(file);
      expect(await store.take(path, FOREVER)).toBe('stored');
      expect(s3.requests).not.toContain('POST begin');
      expect(s3.objects.get(keyOf(path))?.equals(content)).toBe(true);
    });

    it.each([
      ['does not answer', 503, 'recording_store_unreachable'],
      ['asks for patience', 429, 'recording_store_unreachable'],
      ['refuses', 403, 'recording_store_refused'],
    ])('that %s, it keeps its file and every use fails in our own words', async (_what, status, code) => {
      const on = folder();
      const { path, file } = await closed(on);
      const { path: gone } = await stored(on);
      const before = readFileSync(file);
      s3.fail(status);
      const failures = await Promise.all([
        failureOf(on.store.take(path, FOREVER)),
        failureOf(on.casts.size(gone)),
        failureOf(text(on.casts.read(gone))),
        failureOf(text(on.casts.text(gone))),
        failureOf(on.casts.search(gone, 'x', FOREVER)),
        failureOf(on.casts.digest(gone)),
        failureOf(on.casts.remove(path)),
        failureOf(on.store.check()),
      ]);
      expect(failures).toEqual(failures.map(() => expect.objectContaining({ code })));
      const told = failures.map((failure) =>
        failure instanceof Error ? [failure.message, String(failure.cause)] : [],
      );
      expect(JSON.stringify(told)).not.toMatch(/foreign|never\/in|Signature|http:/);
      expect(readFileSync(file).equals(before)).toBe(true);
      s3.fail(undefined);
      expect(await on.store.take(path, FOREVER)).toBe('stored');
    });

    it('is stored once, though the answer that completes it was lost', async () => {
      const on = folder();
      const { path } = await closed(on);
      s3.lose(/finish/);
      expect(await failureOf(on.store.take(path, FOREVER))).toMatchObject({
        code: 'recording_store_refused',
      });
      expect(s3.objects.has(keyOf(path))).toBe(true);
      s3.requests.splice(0);
      expect(await on.store.take(path, FOREVER)).toBe('stored');
      expect(s3.requests).not.toContain('PUT part');
    });

    it('stops as on a full disk when the spool is full, and no other one begins', async () => {
      const { record, casts, store } = folder({ max: 3000 });
      await store.check(); // measures it
      const told = listen();
      const { writer, path, file } = await record({}, told);
      s3.fail(503);
      for (const line of LINES) writer.output(utf8(line));
      await eventually(async () => {
        writer.output(utf8('more output\r\n'.repeat(100)));
        if (told.stops.length === 0) throw new Error('It goes on');
      });
      expect(told.stops).toMatchObject([['disk_full', {}]]);
      expect(outputIn(file)).toContain('[The recording ends here: the disk is full]');
      await writer.close();
      expect(readFileSync(file).length).toBeLessThan(3500);
      expect(await failureOf(record({ path: '2025-01/no-room.cast' }))).toMatchObject({
        code: 'recording_failed',
      });
      s3.fail(undefined);
      expect(await store.take(path, FOREVER)).toBe('stored');
      const { writer: next } = await record({ path: '2025-01/room.cast' });
      await next.close();
      expect(await casts.size('2025-01/room.cast')).toBeGreaterThan(0);
    });
  });

  describe('after a crash of the gateway', () => {
    it('is uploaded whole by the next one, which ends the upload that was begun', async () => {
      const { dir, record } = folder();
      const { writer, path, file } = await record();
      for (const line of LINES) writer.output(utf8(line));
      await expect.poll(() => s3.uploads()).toContain(keyOf(path));
      await expect.poll(() => readFileSync(file).includes('line 299')).toBe(true);
      const content = readFileSync(file);
      const { store } = restarted(dir); // knows nothing of the first
      expect(await store.take(path, FOREVER)).toBe('stored');
      expect([s3.uploads().includes(keyOf(path)), existsSync(file)]).toEqual([false, false]);
      expect(s3.objects.get(keyOf(path))?.equals(content)).toBe(true);
    });

    it('between the upload and the removal of its file is not uploaded again', async () => {
      const first = folder();
      const { path, file, content } = await closed(first);
      s3.objects.set(keyOf(path), content);
      s3.requests.splice(0);
      expect(await restarted(first.dir).store.take(path, FOREVER)).toBe('stored');
      expect(s3.requests).not.toContain('POST finish');
      expect(existsSync(file)).toBe(false);
      expect(await restarted(first.dir).store.take(path, FOREVER)).toBe('stored'); // its row was not changed yet
    });
  });

  it('is deleted in the store, with the uploads that were begun', async () => {
    const { casts, path } = await stored();
    await casts.remove(path);
    expect(s3.objects.has(keyOf(path))).toBe(false);
    const { casts: others, record } = folder();
    const { writer, path: begun, file } = await record();
    for (const line of LINES) writer.output(utf8(line));
    await expect.poll(() => s3.uploads()).toContain(keyOf(begun));
    await writer.close();
    await others.remove(begun);
    expect([s3.uploads().includes(keyOf(begun)), existsSync(file)]).toEqual([false, false]);
  });

  it('never leaves its prefix', async () => {
    const { casts, store } = folder();
    s3.objects.set('secret', utf8('not a recording'));
    for (const path of ['../secret', '/etc/passwd', 'a/../../secret', '']) {
      const missing = { code: 'recording_file_missing' };
      expect(await failureOf(casts.size(path))).toMatchObject(missing);
      expect(await failureOf(casts.digest(path))).toMatchObject(missing);
      expect(await failureOf(store.take(path, FOREVER))).toMatchObject(missing);
    }
  });

  it('is refused with a wrong key, or in a bucket that does not exist', async () => {
    const wrong = { ...s3.options.credentials, secret_access_key: 'wrong' };
    for (const change of [{ credentials: wrong }, { bucket: 'no-such-bucket' }]) {
      const objects = createObjectStore({ ...s3.options, ...change });
      expect(await failureOf(objects.check())).toMatchObject({ code: 'recording_store_refused' });
    }
  });
});
