import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPassing } from '#client/transfers/passing.ts';
import { ClientError } from '#client/transport/client-error.ts';
import { joinPath } from '../../../apps/web/lib/paths.ts';
import { createBatch, createConflicts } from '../../../apps/web/transfers/conflicts.ts';
import { createMeter, secondsLeft } from '../../../apps/web/transfers/meter.ts';
import { numberedName } from '../../../apps/web/transfers/names.ts';
import { summaryOf, toRow } from '../../../apps/web/transfers/row.ts';
import { createSlots } from '../../../apps/web/transfers/slots.ts';
import { createLane } from '../../../apps/web/transfers/uploads/lane.ts';
import { persist } from '../../../apps/web/transfers/uploads/patience.ts';
import { eventually } from '../../support/eventually.ts';

const never = new AbortController().signal;
const refusal = (status: number, code = 'x') => new ClientError({ status, code, detail: code });

/** Work that ends when the test says so. */
function createWorks() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    end: (name: string) => ends.get(name)?.(),
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    },
  };
}

describe('Transfers', () => {
  it('run a limited number at once, the others in order', async () => {
    const slots = createSlots(2);
    const { begun, work, end } = createWorks();
    const all = ['a', 'b', 'c', 'd'].map((name) => slots.use(never, work(name)));
    await Promise.resolve();
    expect(begun).toEqual(['a', 'b']);
    end('b');
    await all[1];
    await eventually(() => expect(begun).toEqual(['a', 'b', 'c']));
    for (const name of ['a', 'c']) end(name);
    await eventually(() => expect(begun).toContain('d'));
    end('d');
    await Promise.all(all);
  });

  it('that are cancelled while waiting take no slot', async () => {
    const slots = createSlots(1);
    const { begun, work, end } = createWorks();
    const first = slots.use(never, work('first'));
    const giving_up = new AbortController();
    const second = slots.use(giving_up.signal, work('second'));
    const third = slots.use(never, work('third'));
    giving_up.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    end('first');
    await first;
    await eventually(() => expect(begun).toEqual(['first', 'third']));
    end('third');
    await third;
  });

  it('of one folder are opened a few at a time', async () => {
    const lane = createLane(2);
    const { begun, work, end } = createWorks();
    await lane.add(work('a'));
    await lane.add(work('b'));
    const added = lane.add(work('c'));
    expect(begun).toEqual(['a', 'b']);
    end('a');
    await added;
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['b', 'c']) end(name);
    await lane.drained();
  });

  it('add up what is active and has a known size', () => {
    const row = (id: string, fields: object) =>
      toRow({ id, kind: 'file', name: id, server_id: 1, directory: '/', ...fields });
    const summary = summaryOf([
      row('a', {
        state: 'running',
        sent_bytes: 50,
        total_bytes: 100,
        bytes_per_second: 10,
        measured_ms: 4000,
      }),
      row('b', { state: 'queued', total_bytes: 100 }),
      row('c', { kind: 'copy', state: 'running', sent_bytes: 1000 }),
      row('d', { state: 'done', sent_bytes: 9, total_bytes: 9 }),
      row('e', { state: 'failed' }),
      row('f', { state: 'waiting' }),
    ]);
    expect(summary).toEqual({
      active: 3,
      paused: 1,
      failed: 1,
      done: 1,
      skipped: 0,
      replaced: 0,
      doubled: 0,
      percent: 25,
      sent_bytes: 50,
      total_bytes: 200,
      bytes_per_second: 10,
      measured_ms: 4000,
    });
  });
});

describe('The transfer rate', () => {
  it('follows the connection within seconds, and is never negative after a retry', () => {
    const meter = createMeter();
    expect(meter.read(0, 0)).toBe(0);
    expect(meter.read(1000, 1000)).toBe(1000);
    const slower = meter.read(1000, 2000);
    expect(slower).toBeGreaterThan(500);
    expect(slower).toBeLessThan(1000);
    expect(meter.read(0, 3000)).toBeGreaterThan(0);
    expect(meter.read(0, 60_000)).toBeLessThan(1);
  });

  it('gives the remaining time only when it is known', () => {
    const measured = { sent_bytes: 1000, total_bytes: 2001, bytes_per_second: 100, measured_ms: 3000 };
    expect(secondsLeft(measured)).toBe(11);
    expect(secondsLeft({ ...measured, bytes_per_second: 0 })).toBeUndefined();
    expect(secondsLeft({ ...measured, total_bytes: undefined })).toBeUndefined();
  });

  it('gives no remaining time after three small files of a large directory', () => {
    const measured = { sent_bytes: 7, total_bytes: 119_537_664, bytes_per_second: 14, measured_ms: 500 };
    expect(secondsLeft(measured)).toBeUndefined();
    expect(secondsLeft({ ...measured, measured_ms: 60_000 })).toBeUndefined();
    expect(secondsLeft({ ...measured, sent_bytes: 2_000_000 })).toBeUndefined();
  });

  it('is measured as long as bytes are read', () => {
    const meter = createMeter();
    for (const now_ms of [1000, 1500, 2500]) meter.read(0, now_ms);
    expect(meter.measured_ms()).toBe(1500);
  });
});

describe('A second file with the same name', () => {
  it.each([
    ['notes.txt', 'notes (2).txt'],
    ['backup.tar.gz', 'backup (2).tar.gz'],
    ['.bashrc', '.bashrc (2)'],
    ['.tar.gz', '.tar (2).gz'],
    ['Makefile', 'Makefile (2)'],
    ['a.', 'a (2).'],
  ])('%s is %s', (name, second) => {
    expect(numberedName(name, 2)).toBe(second);
  });

  it('is placed in the same directory', () => {
    expect([joinPath('/', 'a'), joinPath('/srv', 'a')]).toEqual(['/a', '/srv/a']);
  });
});

describe('A refusal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    [0, 'network', true],
    [423, 'upload_busy', true],
    [409, 'upload_offset', true],
    [502, 'host_unreachable', true],
    [503, 'host_busy', true],
    [504, 'operation_timeout', true],
    [502, 'host_key_changed', false],
    [502, 'host_auth_failed', false],
    [429, 'too_many_uploads', false],
    [507, 'remote_disk_full', false],
    [403, 'sftp_read_only', false],
    [409, 'already_exists', false],
    [413, 'upload_too_large', false],
    [404, 'server_not_found', false],
  ])('%i %s is temporary: %s', (status, code, passes) => {
    expect(isPassing(refusal(status, code))).toBe(passes);
  });

  it('that is temporary is retried and reported', async () => {
    const told: string[] = [];
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      if (attempts < 3) throw refusal(503, 'host_busy');
      return 'made';
    };
    const made = persist(work, never, ({ code }) => void told.push(code));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await made).toBe('made');
    expect(told).toEqual(['host_busy', 'host_busy']);
  });

  it('of a host that stays unreachable is thrown in the end', async () => {
    let attempts = 0;
    const work = () => {
      attempts += 1;
      return Promise.reject(refusal(502, 'host_unreachable'));
    };
    const failed = expect(persist(work, never)).rejects.toMatchObject({ code: 'host_unreachable' });
    await vi.advanceTimersByTimeAsync(600_000);
    await failed;
    expect(attempts).toBe(9);
  });

  it('stops waiting once the work is cancelled', async () => {
    const giving_up = new AbortController();
    const failed = expect(
      persist(() => Promise.reject(refusal(503)), giving_up.signal),
    ).rejects.toMatchObject({ name: 'AbortError' });
    await vi.advanceTimersByTimeAsync(0);
    giving_up.abort();
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('A taken name', () => {
  const conflict = (path: string) => ({ server_id: 1, path, file: undefined });

  it('leads to one question at a time', async () => {
    const { ask, questions } = createConflicts();
    const batch = createBatch();
    const answers = ['/a', '/b'].map((path) => ask(conflict(path), batch, never));
    await eventually(() => expect(questions()).toHaveLength(2));
    questions()[0]?.answer('replace', false);
    questions()[0]?.answer('skip', false);
    expect(await Promise.all(answers)).toEqual(['replace', 'skip']);
  });

  it('has one answer for everything added at once, and for nothing else', async () => {
    const { ask, questions } = createConflicts();
    const batch = createBatch();
    const first = ask(conflict('/a'), batch, never);
    const second = ask(conflict('/b'), batch, never);
    const other = ask(conflict('/c'), createBatch(), never);
    await eventually(() => expect(questions()).toHaveLength(3));
    questions()[0]?.answer('keep_both', true);
    expect(await Promise.all([first, second, ask(conflict('/d'), batch, never)])).toEqual(
      Array(3).fill('keep_both'),
    );
    expect(questions().map((question) => question.conflict.path)).toEqual(['/c']);
    questions()[0]?.answer('skip', false);
    await other;
  });

  it('needs no answer once its transfer is cancelled', async () => {
    const { ask, questions } = createConflicts();
    const giving_up = new AbortController();
    const answer = ask(conflict('/a'), createBatch(), giving_up.signal);
    await eventually(() => expect(questions()).toHaveLength(1));
    giving_up.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(questions()).toEqual([]);
  });
});
