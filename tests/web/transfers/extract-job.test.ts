import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import type { ExtractEvent } from '#client/transfers/archive.ts';
import { createBatch, createConflicts } from '../../../apps/web/transfers/conflicts.ts';
import { createExtractJob } from '../../../apps/web/transfers/extracts/job.ts';
import { type TransferRow, toRow } from '../../../apps/web/transfers/row.ts';
import { createSlots } from '../../../apps/web/transfers/slots.ts';
import { eventually } from '../../support/eventually.ts';

const written = { created: 2, directories: 1, bytes: 9, skipped_count: 1 };
const done: ExtractEvent = { type: 'done', path: '/a', ...written };
const skipped: ExtractEvent = { type: 'skipped', name: '../up', code: 'member_name', detail: 'unsafe' };
const eventsOf = (...events: readonly ExtractEvent[]) =>
  new Response(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'Content-Type': 'text/event-stream' },
  });

/** Extracts `/a/x.zip`, answered in order. */
function setUp(...answers: readonly Response[]) {
  const bodies: unknown[] = [];
  const left = [...answers];
  const client = createClient({
    base_url: 'https://gate.example',
    credentials: 'sesame',
    retries: 0,
    fetch: async (request) => {
      bodies.push(await request.json());
      return left.shift() ?? Response.error();
    },
  });
  const tools = { client, slots: createSlots(3), conflicts: createConflicts(), onPlaced: () => {} };
  const request = { server_id: 1, path: '/a/x.zip', target_path: '/a' };
  let row: TransferRow = toRow({ id: 'job', kind: 'extract', name: 'x.zip', server_id: 1, directory: '/a' });
  const job = createExtractJob(tools, { request, batch: createBatch(), cancel: () => {} }, (news) => {
    row = { ...row, ...news };
  });
  job.start();
  const until = (state: TransferRow['state']) => eventually(() => expect(row.state).toBe(state));
  return { job, bodies, until, questions: tools.conflicts.questions, row: () => row };
}

describe('An extraction on a host', () => {
  it('reports its progress and what was skipped', async () => {
    const progress: ExtractEvent = {
      ...{ type: 'progress', bytes: 4, files: 1, path: 'b', total_bytes: 9, total_files: 3 },
    };
    const { job, bodies, until, row } = setUp(eventsOf(progress, skipped, done));
    await until('done');
    expect(bodies).toEqual([{ path: '/a/x.zip', target_path: '/a' }]);
    expect(row()).toMatchObject({ done_files: 2, total_files: 3, total_bytes: 9, left_behind: 1 });
    expect(row().failures).toMatchObject([{ path: '../up', error: { code: 'member_name' } }]);
    expect(job.sent()).toBe(9);
  });

  it('asks once what to do with files that exist', async () => {
    const refused = {
      code: 'already_exists',
      detail: '',
      errors: [{ path: 'target_path', message: '/a/b' }],
    };
    const { bodies, until, questions } = setUp(Response.json(refused, { status: 409 }), eventsOf(done));
    await until('asking');
    expect(questions()[0]?.conflict).toMatchObject({ path: '/a/b', cancel: expect.any(Function) });
    questions()[0]?.answer('keep_both', true);
    await until('done');
    expect(bodies.at(-1)).toEqual({ path: '/a/x.zip', target_path: '/a', on_conflict: 'rename' });
  });

  it('has failed where a member could not be extracted, but not where one was left out', async () => {
    const damaged: ExtractEvent = { type: 'skipped', name: 'b', code: 'archive_damaged', detail: '' };
    const { until, row } = setUp(eventsOf(skipped, damaged, { ...done, skipped_count: 2 }));
    await until('failed');
    expect(row()).toMatchObject({ done_files: 2, failed_files: 1, left_behind: 1, error: undefined });
    expect(row().failures.map(({ path }) => path)).toEqual(['b', '../up']);
  });

  it('says why nothing was extracted', async () => {
    const encrypted: ExtractEvent = { type: 'skipped', name: 'b', code: 'member_encrypted', detail: '' };
    const { until, row } = setUp(eventsOf(encrypted, { ...done, created: 0 }));
    await until('failed');
    expect(row()).toMatchObject({ error: { code: 'member_encrypted' }, failed_files: 1 });
  });

  it('that fails says what was written, and lists what was not', async () => {
    const error: ExtractEvent = {
      ...{ type: 'error', code: 'host_disconnected', detail: 'Lost', ...written },
      ...{ missing: ['c'], missing_count: 1 },
    };
    const progress: ExtractEvent = {
      ...{ type: 'progress', bytes: 0, files: 0, path: '', total_bytes: 9, total_files: 3 },
    };
    const { until, row } = setUp(eventsOf(progress, error));
    await until('failed');
    expect(row().failures).toMatchObject([{ path: 'c', error: { code: 'host_disconnected' } }]);
    expect(row()).toMatchObject({ done_files: 2, total_files: 3, failed_files: 1, left_behind: 1 });
  });
});
