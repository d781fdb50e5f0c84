import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '#core/ports/runtime.ts';
import { systemClock } from '#server/lib/clock.ts';
import { failureOf } from '../setup.ts';
import { eventsIn, listen, openFolder, outputIn, STARTED_AT, utf8, wholeLines } from './cast-folder.ts';

let now_ms = 0;
let set_ms = 0; // By an operator.
/** Seconds since the start. */
const put = (seconds: number) => {
  now_ms = STARTED_AT.getTime() + seconds * 1000;
};
beforeEach(() => {
  put(0);
  set_ms = 0;
});
const clock: Clock = { ...systemClock, now: () => new Date(now_ms + set_ms), elapsed_ms: () => now_ms };
const { casts, dir, record } = openFolder({ clock });

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const collect = async (stream: ReadableStream<Uint8Array>) =>
  Buffer.from(await new Response(stream).arrayBuffer());

describe('a recording', () => {
  it('is an asciicast version 2 file', async () => {
    const { writer, file } = await record({ size: { cols: 132, rows: 43 }, title: 'a "b" \\ \u2028' });
    await writer.close();
    expect(JSON.parse(wholeLines(file)[0] ?? '')).toEqual({
      version: 2,
      width: 132,
      height: 43,
      timestamp: 1735787045,
      title: 'a "b" \\ \u2028',
      env: { TERM: 'xterm-256color' },
    });
  });

  it('contains output and sizes with their times, in order', async () => {
    const { writer, file } = await record();
    put(1.5);
    writer.output(utf8('one'));
    put(2);
    writer.resize({ cols: 100, rows: 30 });
    writer.output(utf8('two'));
    put(3.25);
    writer.output(utf8('three'));
    expect(await writer.close()).toMatchObject({ duration_s: 3.25 });
    expect(eventsIn(file)).toEqual([
      [1.5, 'o', 'one'],
      [2, 'r', '100x30'],
      [2, 'o', 'two'],
      [3.25, 'o', 'three'],
    ]);
  });

  it('keeps its times when the clock is set forward or back', async () => {
    const { writer, file } = await record();
    for (const [seconds, set_by] of [
      [5, 0],
      [6, 3600],
      [7, -3600],
    ] as const) {
      put(seconds);
      set_ms = set_by * 1000;
      writer.output(utf8(`at ${seconds} `));
    }
    await writer.close();
    expect(eventsIn(file).map(([at]) => at)).toEqual([5, 6, 7]);
  });

  it('merges simultaneous output into events of at most 64 KiB', async () => {
    const { writer, file } = await record();
    const content = 'x'.repeat(200_000);
    for (let at = 0; at < content.length; at += 1000) writer.output(utf8(content.slice(at, at + 1000)));
    writer.output(utf8('y'.repeat(1_000_000)));
    await writer.close();
    const lengths = eventsIn(file).map(([, , text]) => text.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536);
    expect(lengths.length).toBeLessThan(22);
    expect(outputIn(file)).toBe(content + 'y'.repeat(1_000_000));
  });

  it.each([1, 2, 3, 5])('keeps characters whole that arrive in chunks of %i bytes', async (size) => {
    const { writer, file } = await record();
    const content = 'aé€😀 漢字\u{10ffff}';
    const bytes = utf8(content);
    for (let at = 0; at < bytes.length; at += size) {
      put(at);
      writer.output(bytes.subarray(at, at + size));
    }
    await writer.close();
    expect(outputIn(file)).toBe(content);
  });

  it('contains U+FFFD for invalid UTF-8, even at its end', async () => {
    const { writer, file } = await record();
    writer.output(Buffer.from([0x41, 0xff, 0x42, 0xed, 0xa0, 0x80, 0xc3]));
    writer.output(Buffer.from([0x43, 0xf0, 0x9f, 0x98]));
    await writer.close();
    expect(outputIn(file)).toBe('A\ufffdB\ufffd\ufffd\ufffd\ufffdC\ufffd');
  });

  it('accepts anything a host may send', async () => {
    const hostile = `${Array.from({ length: 256 }, (_none, code) => String.fromCodePoint(code)).join('')}\u2028\u2029\ufeff"],[9,"o","\\u0000`;
    const { writer, file } = await record();
    writer.output(utf8(`\ufeff${hostile}`));
    await writer.close();
    expect(outputIn(file)).toBe(`\ufeff${hostile}`);
  });

  it('copies the bytes it is given', async () => {
    const { writer, file } = await record();
    const bytes = utf8('before');
    writer.output(bytes);
    bytes.fill(0x78);
    await writer.close();
    expect(outputIn(file)).toBe('before');
  });

  it('is readable only by the gateway', async () => {
    const { writer, file } = await record({ path: '2025-02/deep/a.cast' });
    await writer.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const folder of [dirname(file), dirname(dirname(file)), dir])
      expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('never overwrites a file', async () => {
    const { writer, path, file } = await record();
    await writer.close();
    const content = readFileSync(file, 'utf8');
    expect(await failureOf(record({ path }))).toMatchObject({ code: 'recording_failed' });
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it.each(['', '.', '..', '../a.cast', 'a/../../b.cast', '/tmp/a.cast', 'a\0.cast'])(
    'is not created at %j',
    async (path) => {
      expect(await failureOf(record({ path }))).toMatchObject({ code: 'recording_failed' });
    },
  );

  it('has the length, duration and hash that closing reports', async () => {
    const { writer, path, file } = await record();
    for (let i = 0; i < 50; i += 1) writer.output(utf8(`${i} ${'€'.repeat(9000)}\r\n`));
    const end = await writer.close();
    const bytes = readFileSync(file);
    expect(end).toMatchObject({ size_bytes: bytes.length, sha256: hash(bytes) });
    expect(await casts.digest(path)).toEqual(end);
    expect(await casts.size(path)).toBe(bytes.length);
  });

  it('accepts nothing once it is closed', async () => {
    const told = listen();
    const { writer, file } = await record({}, told);
    writer.output(utf8('shown'));
    const end = await writer.close();
    writer.output(utf8('late'));
    writer.resize({ cols: 10, rows: 10 });
    expect(await writer.close()).toEqual(end);
    expect(outputIn(file)).toBe('shown');
    expect(told.stops).toEqual([]);
  });
});

describe('a recording with a size limit', () => {
  const NOTE = (limit: number) => `\r\n[The recording ends here: its limit of ${limit} bytes is reached]\r\n`;

  it.each([2000, 20_000, 300_000])('ends at %i with a note', async (max_bytes) => {
    const told = listen();
    const { writer, file } = await record({ max_bytes }, told);
    const content = utf8('\u001b[1m"€😀"\u001b[0m \r\n'.repeat(500));
    for (let sent = 0; sent < max_bytes * 2; sent += content.length) writer.output(content);
    expect(await told.stop).toBe('limit');
    writer.output(utf8('more'));
    const end = await writer.close();
    const bytes = readFileSync(file);
    expect(bytes.length).toBeLessThanOrEqual(max_bytes);
    expect(bytes.length).toBeGreaterThan(max_bytes - 150); // As full as one line of text can make it.
    expect(outputIn(file).endsWith(NOTE(max_bytes))).toBe(true);
    expect(end).toMatchObject({ size_bytes: bytes.length, sha256: hash(bytes) });
    expect(told.stops).toEqual([['limit', end]]);
  });

  it.each([1, 100, 130, 150, 200, 230, 240, 300])('of %i has complete lines only', async (max_bytes) => {
    const { writer, file } = await record({ max_bytes });
    for (let i = 0; i < 10; i += 1) writer.output(utf8(`output ${i}`.repeat(40)));
    expect(await writer.close()).toMatchObject({ size_bytes: statSync(file).size });
    expect(statSync(file).size).toBeLessThanOrEqual(max_bytes);
    for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) JSON.parse(line);
  });

  it('is not stopped at exactly its limit', async () => {
    const free = await record();
    free.writer.output(utf8('x'.repeat(5000)));
    const { size_bytes } = await free.writer.close();
    const told = listen();
    const { writer } = await record({ max_bytes: size_bytes + 200 }, told);
    writer.output(utf8('x'.repeat(5000)));
    await writer.close();
    expect(told.stops).toEqual([]);
  });
});

describe('a recording file', () => {
  it('is read in whole or in part', async () => {
    const { writer, path, file } = await record();
    writer.output(utf8('z'.repeat(700_000)));
    await writer.close();
    const bytes = readFileSync(file);
    const isRead = async (start: number, end?: number) =>
      (await collect(casts.read(path, { start, end }))).equals(bytes.subarray(start, end));
    expect((await collect(casts.read(path))).equals(bytes)).toBe(true);
    expect(await isRead(10, 300_010)).toBe(true);
    expect(await isRead(700_000)).toBe(true);
    expect(await isRead(9_000_000)).toBe(true);
  });

  it('that is missing is reported as missing', async () => {
    for (const path of ['none.cast', 'none/none.cast', '../etc/passwd', '2025-01']) {
      const missing = { code: 'recording_file_missing' };
      expect(await failureOf(casts.size(path))).toMatchObject(missing);
      expect(await failureOf(casts.digest(path))).toMatchObject(missing);
      expect(await failureOf(casts.read(path).getReader().read())).toMatchObject(missing);
      expect(await failureOf(casts.text(path).getReader().read())).toMatchObject(missing);
    }
  });

  it('is removed if it exists', async () => {
    const { writer, path } = await record();
    await writer.close();
    await casts.remove(path);
    await casts.remove(path);
    await casts.remove('../nothing-outside');
    expect(await failureOf(casts.size(path))).toMatchObject({ code: 'recording_file_missing' });
  });

  it.each([
    ['a broken last line', '[1,"o","a"]\n[2.5,"o","b"]\n[3,"o","c', 2.5],
    ['no event', '', 0],
    ['half a header', '', 0],
    ['something else at its end', '[7,"r","80x24"]\n\0\0\0\0\nno event\n', 7],
  ])('with %s has the duration of its last complete event', async (what, lines, duration_s) => {
    const header = what === 'half a header' ? '{"version":2,"wid' : '{"version":2,"width":80,"height":24}\n';
    const content = `${header}${lines}`;
    writeFileSync(join(dir, 'broken.cast'), content);
    expect(await casts.digest('broken.cast')).toEqual({
      size_bytes: content.length,
      duration_s,
      sha256: hash(utf8(content)),
    });
  });
});

describe('The recordings folder', () => {
  it('has one name for all instances, which is kept', async () => {
    const { casts } = openFolder();
    expect(await casts.directoryId({ create: false })).toBeNull();
    const names = await Promise.all([1, 2, 3, 4].map(() => casts.directoryId({ create: true })));
    expect(names[0]).toMatch(/^[\w-]{22}$/);
    expect(new Set(names).size).toBe(1);
    expect(await casts.directoryId({ create: false })).toBe(names[0]);
  });

  it('has no name where it cannot be made', async () => {
    const { casts } = openFolder({ dir: '/etc/hostname' });
    expect(await casts.directoryId({ create: true })).toBeNull();
  });

  it('can be created where its parent is writable', async () => {
    const { casts } = openFolder();
    await expect(casts.probe()).resolves.toBeUndefined();
  });

  it('cannot be created where a file blocks the path', async () => {
    const { casts } = openFolder({ dir: join(import.meta.filename, 'recordings') });
    await expect(casts.probe()).rejects.toThrow(/ENOTDIR/);
  });

  it('cannot be a file', async () => {
    const { casts } = openFolder({ dir: '/etc/hostname' });
    await expect(casts.probe()).rejects.toThrow();
  });
});
