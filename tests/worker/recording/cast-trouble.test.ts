import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { CastEnd } from '#core/ports/casts.ts';
import { systemClock } from '#server/lib/clock.ts';
import type { WritingVerbs } from '#worker/recording/verbs.ts';
import { createThreads, type Thread, type Threads } from '#worker/threads/threads.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf, manualClock } from '../setup.ts';
import { listen, openFolder, outputIn, utf8, wholeLines } from './cast-folder.ts';

const MIB = 1024 * 1024;
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a recording on a full disk', () => {
  const disk = mkdtempSync(join(tmpdir(), 'sallyport-small-disk-'));
  let is_mounted = false;
  let free_blocks = 0;
  beforeAll(() => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'ignore' });
      is_mounted = true;
      free_blocks = statfsSync(disk).bavail;
    } catch {
      is_mounted = false; // In a container that may not mount.
    }
  });
  afterAll(() => {
    if (is_mounted) execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  });
  const { record, casts } = openFolder({ dir: disk });

  it('ends with complete lines and a note', async ({ skip }) => {
    if (!is_mounted) skip('this machine may not mount a tmpfs');
    const told = listen();
    const { writer, path, file } = await record({}, told);
    for (let i = 0; i < 40; i += 1) writer.output(utf8(`${i} ${'disk '.repeat(2000)}\r\n`));
    expect(await told.stop).toBe('disk_full');
    const end = await writer.close();
    const bytes = readFileSync(file);
    expect(wholeLines(file).length).toBeGreaterThan(2);
    expect(outputIn(file).endsWith('\r\n[The recording ends here: the disk is full]\r\n')).toBe(true);
    expect(end).toMatchObject({ size_bytes: bytes.length, sha256: hash(bytes) });
    expect(told.stops).toEqual([['disk_full', end]]);
    await casts.remove(path);
  });

  it('that fills up with the last event reports it before it is closed', async ({ skip }) => {
    if (!is_mounted) skip('this machine may not mount a tmpfs');
    const told = listen();
    const { writer, path } = await record({ path: 'last.cast' }, told);
    for (let i = 0; i < 40; i += 1) writer.output(utf8(`${i} ${'disk '.repeat(2000)}\r\n`));
    const end = await writer.close();
    expect(told.stops).toEqual([['disk_full', end]]);
    await casts.remove(path);
  });

  it('does not start, and leaves no file', async ({ skip }) => {
    if (!is_mounted) skip('this machine may not mount a tmpfs');
    // A stopped recording is closed in the background, and only then gives back the space of its removed file.
    await expect.poll(() => statfsSync(disk).bavail).toBe(free_blocks);
    writeFileSync(join(disk, 'all'), Buffer.alloc(free_blocks * statfsSync(disk).bsize));
    const path = 'none-left.cast';
    expect(await failureOf(record({ path }))).toMatchObject({ code: 'recording_failed' });
    expect(existsSync(join(disk, path))).toBe(false);
  });
});

/** Has every field of the answers to all verbs. */
function answerTo(order: object): never {
  const end: CastEnd = { size_bytes: 100, duration_s: 1, sha256: 'of what is written' };
  return { end, stopped: undefined, buffer: 'buffer' in order ? order.buffer : undefined } as never;
}

/** A thread that answers on demand. */
function heldThreads() {
  const waiting: (() => void)[] = [];
  const thread: Thread<WritingVerbs> = {
    call: (verb, order) =>
      new Promise((resolve) => {
        if (verb === 'open') resolve(answerTo(order));
        else waiting.push(() => resolve(answerTo(order)));
      }),
    hold: () => () => {},
  };
  const threads: Threads<WritingVerbs> = { get: () => thread, stop: async () => {} };
  return { threads, answerOne: () => waiting.shift()?.(), waiting: () => waiting.length };
}

describe('a recording whose disk is slow', () => {
  it('asks for a pause beyond 8 MiB, until less than 2 MiB are queued', async () => {
    const { threads, answerOne, waiting } = heldThreads();
    const told = listen();
    const { writer } = await openFolder({ writing: threads }).record({}, told);
    const piece = Buffer.alloc(256 * 1024);
    for (let i = 0; i < 32; i += 1) writer.output(piece);
    expect(told.congestions).toEqual([]);
    writer.output(piece);
    expect(told.congestions).toEqual([true]);
    while (waiting() > 6) answerOne();
    await eventually(() => expect(told.congestions).toEqual([true, false]));
  });

  it('lets the shell continue when it ends', async () => {
    const { threads, answerOne, waiting } = heldThreads();
    const told = listen();
    const { writer } = await openFolder({ writing: threads }).record({}, told);
    writer.output(Buffer.alloc(9 * MIB));
    const closed = writer.close();
    while (waiting() > 0) answerOne();
    await closed;
    expect(told.congestions).toEqual([true, false]);
  });
});

/** A thread that misbehaves. */
function badThreads(code: string, clock = systemClock) {
  const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  return createThreads<WritingVerbs>({ entry, clock, silence_ms: 10_000, idle_ms: 60_000 });
}

const OPENS = `import { parentPort } from 'node:worker_threads';
  const end = { size_bytes: 0, duration_s: 0, sha256: '' };
  parentPort.on('message', ({ seq, verb }) => {
    if (verb === 'open') parentPort.postMessage({ seq, answer: { end } });`;

describe('a recording whose thread', () => {
  it('hangs for ten seconds, as on a dead disk, is stopped', async () => {
    const clock = manualClock();
    const told = listen();
    const { record } = openFolder({ clock, writing: badThreads(`${OPENS} });`, clock) });
    const { writer } = await record({}, told);
    writer.output(utf8('waits'));
    clock.advance(100);
    clock.advance(5000);
    clock.advance(5000);
    expect(told.stops).toEqual([]);
    clock.advance(5000);
    expect(await told.stop).toBe('failed');
    expect(await writer.close()).toMatchObject({ size_bytes: 0 });
  });

  it('dies is stopped, even while idle, and reports the state of its file', async () => {
    const told = listen();
    const answers = 'parentPort.postMessage({ seq, answer: { end, buffer: new ArrayBuffer(0) } });';
    const writing = badThreads(`${OPENS} else { ${answers} process.exit(); } });`);
    const { writer, file } = await openFolder({ writing }).record({}, told);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{"version":2}\n[1.5,"o","written"]\n[2,"o","brok');
    writer.output(utf8('written'));
    expect(await told.stop).toBe('failed');
    const bytes = readFileSync(file);
    expect(await writer.close()).toEqual({ size_bytes: bytes.length, duration_s: 1.5, sha256: hash(bytes) });
  });

  it('died is followed by a recording with a new thread', async () => {
    const told = listen();
    const { record } = openFolder({ writing: badThreads(`${OPENS} else process.exit() });`) });
    const first = await record({}, told);
    first.writer.output(utf8('lost'));
    await told.stop;
    const second = await record({ path: 'second.cast' });
    expect(await second.writer.close()).toMatchObject({ size_bytes: 0 });
  });
});

describe('a process that records', () => {
  const RECORDER = new URL('./cast-recorder.ts', import.meta.url).pathname;

  function run(how: 'endless' | 'once') {
    const dir = mkdtempSync(join(tmpdir(), 'sallyport-recorder-'));
    const child = spawn(process.execPath, ['--import', 'tsx', RECORDER, dir, how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
      rmSync(dir, { recursive: true });
    });
    return { child, file: join(dir, 'a.cast') };
  }

  it('and is killed leaves complete lines, except the last', async () => {
    const { child, file } = run('endless');
    await once(child.stdout, 'data');
    await eventually(() => expect(readFileSync(file, 'utf8')).toContain('line 100 of'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const [, ...lines] = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const shown = lines.map((line) => JSON.parse(line)[2]).join('');
    const count = shown.split('\r\n').length - 1;
    expect(
      shown.startsWith(
        Array.from({ length: count }, (_none, i) => `line ${i + 1} of what was shown €\r\n`).join(''),
      ),
    ).toBe(true);
  });

  it('can exit while a recording is open', async () => {
    const { child, file } = run('once');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(outputIn(file)).toContain('line 1 of');
  });
});
