import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import type { CopyEvent } from '#client/transfers/copy.ts';
import { createBatch, createConflicts } from '../../../apps/web/transfers/conflicts.ts';
import { createCopyJob } from '../../../apps/web/transfers/copies/job.ts';
import type { CopyRequest } from '../../../apps/web/transfers/copies/one-source.ts';
import { summaryOf, type TransferRow, toRow } from '../../../apps/web/transfers/row.ts';
import { createSlots } from '../../../apps/web/transfers/slots.ts';
import { shortText } from '../../../apps/web/transfers/tray/summary-text.ts';
import { eventually } from '../../support/eventually.ts';
import { translateTo } from '../../support/texts.ts';

type Copied = Extract<CopyEvent, { type: 'result' }>['result'];

const copied = (fields: Partial<Copied> = {}): CopyEvent => ({
  type: 'result',
  result: { path: '/b/x', bytes: 9, files: 1, skipped: [], skipped_count: 0, ...fields },
});
const failed = (code: string): CopyEvent => ({ type: 'failed', code, detail: code });
const eventsOf = (...events: readonly CopyEvent[]) =>
  new Response(events.map((event) => `event: copy\ndata: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'Content-Type': 'text/event-stream' },
  });

/** Copies of `/a/x` on server 1, answered in order. */
function setUp(answers: readonly Response[], wanted: Partial<CopyRequest> = {}) {
  const requests: unknown[] = [];
  const left = [...answers];
  const client = createClient({
    base_url: 'https://gate.example',
    credentials: 'sesame',
    retries: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      requests.push([`${request.method} ${pathname}${search}`, body && JSON.parse(body)]);
      return left.shift() ?? Response.json({});
    },
  });
  const request: CopyRequest = {
    source_server_id: 1,
    source_paths: ['/a/x'],
    target_server_id: 2,
    target_path: '/b',
    move: false,
    ...wanted,
  };
  const placed: string[] = [];
  const onPlaced = (server_id: number, directory: string) => void placed.push(`${server_id}:${directory}`);
  const tools = { client, slots: createSlots(3), conflicts: createConflicts(), onPlaced };
  let row: TransferRow = toRow({ id: 'job', kind: 'copy', name: 'x', server_id: 2, directory: '/b' });
  const job = createCopyJob(tools, { request, batch: createBatch() }, (news) => {
    row = { ...row, ...news };
  });
  job.start();
  const until = (state: TransferRow['state']) => eventually(() => expect(row.state).toBe(state));
  return { job, requests, placed, until, questions: tools.conflicts.questions, row: () => row };
}

const COPY = 'POST /api/files/1/copy-to';
const bodyOf = (fields: object) => ({
  source_path: '/a/x',
  target_server_id: 2,
  target_path: '/b',
  ...fields,
});

describe('A copy to another server', () => {
  it('reports its progress and refreshes the target', async () => {
    const progress: CopyEvent = { type: 'progress', bytes: 4, files: 0, path: '/a/x' };
    const { job, requests, placed, until } = setUp([eventsOf(progress, copied())]);
    await until('done');
    expect(requests).toEqual([[COPY, bodyOf({ overwrite: false })]]);
    expect(placed).toEqual(['2:/b']);
    expect(job.sent()).toBe(9);
  });

  it('has a total once all sources are counted or known', async () => {
    const progress: CopyEvent = { type: 'progress', bytes: 4, files: 0, path: '/a/x/y', total_bytes: 20 };
    const sizes = new Map([['/a/z', 5]]);
    const answers = [eventsOf(progress, copied({ bytes: 20 })), eventsOf(copied({ bytes: 5 }))];
    const { until, row } = setUp(answers, { source_paths: ['/a/x', '/a/z'], sizes });
    await until('done');
    expect(row()).toMatchObject({ total_bytes: 25, sent_bytes: 25 });
  });

  it('removes the source of a move only when nothing was skipped', async () => {
    const moved = setUp([eventsOf(copied())], { move: true });
    await moved.until('done');
    expect(moved.requests.at(-1)).toEqual(['DELETE /api/files/1/delete?path=%2Fa%2Fx', '']);
    expect(moved.placed).toEqual(['2:/b', '1:/a']);

    const skipped = [{ path: '/a/x/link', reason: 'A link' }];
    const kept = setUp([eventsOf(copied({ skipped, skipped_count: 1 }))], { move: true });
    await kept.until('done');
    expect(kept.requests).toHaveLength(1);
    expect(kept.row().failures).toMatchObject([{ path: '/a/x/link', error: { message: 'A link' } }]);
  });

  it('that skipped a link has not failed, and says so', async () => {
    const skipped = [{ path: '/a/x/link', reason: 'A link' }];
    const answers = [eventsOf(copied({ skipped, skipped_count: 1 })), eventsOf(failed('permission_denied'))];
    const { job, until, row } = setUp([...answers, eventsOf(copied())], { source_paths: ['/a/x', '/a/y'] });
    await until('failed');
    expect(row()).toMatchObject({ failed_files: 1, left_behind: 1, failures: [{ path: '/a/y' }, {}] });
    job.start();
    await until('done');
    expect(row()).toMatchObject({ failed_files: 0, left_behind: 1, failures: [{ path: '/a/x/link' }] });
    expect(shortText(summaryOf([row()]), translateTo('en'))).toBe('Transfers finished: 1 skipped');
  });

  it('reports a refusal or a broken connection, and can be retried', async () => {
    const { job, until, row } = setUp([
      eventsOf(failed('permission_denied')),
      eventsOf(),
      eventsOf(copied()),
    ]);
    await until('failed');
    expect(row().failures).toMatchObject([{ path: '/a/x', error: { code: 'permission_denied' } }]);
    job.start();
    await eventually(() => expect(row().failures).toMatchObject([{ error: { code: 'network' } }]));
    job.start();
    await until('done');
  });

  it('asks when its name is taken, and replaces the file or takes a free name', async () => {
    const replaced = setUp([eventsOf(failed('already_exists')), eventsOf(copied())]);
    await eventually(() => expect(replaced.questions()).toHaveLength(1));
    expect(replaced.questions()[0]?.conflict).toMatchObject({ server_id: 2, path: '/b/x' });
    replaced.questions()[0]?.answer('replace', false);
    await replaced.until('done');
    expect(replaced.requests.at(-1)).toEqual([COPY, bodyOf({ overwrite: true })]);

    const there = Response.json({ path: '/b', entries: [{ name: 'x' }, { name: 'x (2)' }] });
    const both = setUp([eventsOf(failed('already_exists')), there, eventsOf(copied())]);
    await eventually(() => expect(both.questions()).toHaveLength(1));
    both.questions()[0]?.answer('keep_both', false);
    await both.until('done');
    expect(both.requests.at(-1)).toEqual([COPY, bodyOf({ target_path: '/b/x (3)', overwrite: false })]);
  });

  it('is aborted when it is cancelled', async () => {
    let is_cancelled = false;
    const endless = new ReadableStream({
      cancel: () => {
        is_cancelled = true;
      },
    });
    const { job, until } = setUp([
      new Response(endless, { headers: { 'Content-Type': 'text/event-stream' } }),
    ]);
    await until('running');
    await eventually(() => expect(endless.locked).toBe(true));
    await job.discard();
    await eventually(() => expect(is_cancelled).toBe(true));
  });
});

describe('A move within a server', () => {
  it('is a rename that replaces only what it may', async () => {
    const taken = Response.json({ code: 'already_exists', detail: 'x' }, { status: 409 });
    const { requests, until, questions } = setUp([taken], { move: true, target_server_id: 1 });
    await eventually(() => expect(questions()).toHaveLength(1));
    questions()[0]?.answer('replace', false);
    await until('done');
    const rename = { old_path: '/a/x', new_path: '/b/x' };
    expect(requests).toEqual([
      ['POST /api/files/1/rename', { ...rename, overwrite: false }],
      ['POST /api/files/1/rename', { ...rename, overwrite: true }],
    ]);
  });
});
