import { describe, expect, it, vi } from 'vitest';
import { createClient } from '#client/client.ts';
import type { UploadPlan } from '#client/transfers/tus-upload.ts';
import { ClientError } from '#client/transport/client-error.ts';
import { createBatch, createConflicts } from '../../../apps/web/transfers/conflicts.ts';
import { createSlots } from '../../../apps/web/transfers/slots.ts';
import { discardParts } from '../../../apps/web/transfers/uploads/aim.ts';
import { openLedger } from '../../../apps/web/transfers/uploads/ledger.ts';
import { sendWhole } from '../../../apps/web/transfers/uploads/sending.ts';
import type { SendFile, SendingInput } from '../../../apps/web/transfers/uploads/upload.ts';
import { eventually } from '../../support/eventually.ts';

const never = new AbortController().signal;
const refusal = (status: number, code = 'x') =>
  new ClientError({ status, code, detail: code, retry_after: 0 });

/** Each attempt ends as the list says, the last entry repeating. */
function attemptsOf(...ways: readonly SendFile[]) {
  const plans: UploadPlan[] = [];
  const send: SendFile = (file, plan, watch) => {
    plans.push(plan);
    return (ways[plans.length - 1] ?? ways.at(-1) ?? well)(file, plan, watch);
  };
  return { send, plans };
}

const well: SendFile = async (file, _plan, { onBegun, onProgress }) => {
  onBegun('done');
  onProgress(file.size);
};
const refused =
  (status: number, code?: string): SendFile =>
  () =>
    Promise.reject(refusal(status, code));
/** Stops in the middle until it is cancelled. */
const halting: SendFile = (_file, _plan, { onBegun, onProgress, signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    onBegun('half');
    onProgress(3);
  });

function setUp(send: SendFile, answers: Record<string, unknown> = {}) {
  const requests: string[] = [];
  const client = createClient({
    base_url: 'https://gate.example',
    credentials: 'sesame',
    retries: 0,
    fetch: async ({ method, url }) => {
      const asked = `${method} ${new URL(url).pathname}`;
      requests.push(asked);
      return asked in answers ? Response.json(answers[asked]) : new Response(null, { status: 204 });
    },
  });
  const ledger = openLedger('test', 1);
  const tools = { client, user_id: 1, ledger, slots: createSlots(3), conflicts: createConflicts(), send };
  const batch = createBatch();
  const file = new File(['content'], 'a.txt', { lastModified: 5 });
  const place = { job_id: 'job', server_id: 3, directory: '/srv', name: 'a.txt' };
  const input: SendingInput = { ...place, file, batch };
  return { tools, input, requests, ledger, batch };
}

describe('An upload', () => {
  it('starts under its own name and replaces nothing', async () => {
    const { send, plans } = attemptsOf(well);
    const { tools, input } = setUp(send);
    expect(await sendWhole(tools, input, never)).toEqual({ outcome: 'sent', name: 'a.txt' });
    const place = { server_id: 3, directory: '/srv', filename: 'a.txt' };
    expect(plans).toEqual([{ ...place, overwrite: false, upload_id: undefined }]);
  });

  it('resumes where it stopped, and is deleted on the host only on request', async () => {
    const { send, plans } = attemptsOf(halting, well);
    const { tools, input, ledger, requests } = setUp(send);
    const pausing = new AbortController();
    const stopped = sendWhole(tools, { ...input, onSent: () => pausing.abort() }, pausing.signal);
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    expect(await ledger.parts()).toMatchObject([{ upload_id: 'half', job_id: 'job' }]);
    await sendWhole(tools, input, never);
    expect(plans[1]).toMatchObject({ upload_id: 'half' });
    expect(await ledger.parts()).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('that is cancelled is removed from the host', async () => {
    const { tools, input, ledger, requests } = setUp(halting);
    const cancelling = new AbortController();
    const stopped = sendWhole(tools, { ...input, onSent: () => cancelling.abort() }, cancelling.signal);
    await expect(stopped).rejects.toThrow();
    await discardParts(tools, 'job');
    expect(requests).toEqual(['DELETE /api/files/3/uploads/half']);
    expect(await ledger.parts()).toEqual([]);
  });

  it('does not resume the part of another file with the same name', async () => {
    const { send, plans } = attemptsOf(halting, well);
    const { tools, input } = setUp(send);
    const pausing = new AbortController();
    const stopped = sendWhole(tools, { ...input, onSent: () => pausing.abort() }, pausing.signal);
    await expect(stopped).rejects.toThrow();
    const changed = new File(['CONTENT'], 'a.txt', { lastModified: 6 });
    await sendWhole(tools, { ...input, file: changed }, never);
    expect(plans[1]?.upload_id).toBeUndefined();
  });

  it.each([403, 400, 507])('is not retried after a refusal with %i', async (status) => {
    const { send, plans } = attemptsOf(refused(status));
    const { tools, input } = setUp(send);
    await expect(sendWhole(tools, input, never)).rejects.toMatchObject({ status });
    expect(plans).toHaveLength(1);
  });

  it('waits for a temporary failure without blocking others', async () => {
    vi.useFakeTimers();
    const { send, plans } = attemptsOf(refused(423), refused(0), well);
    const { tools, input } = setUp(send);
    const told: unknown[] = [];
    const sending = sendWhole(tools, { ...input, onState: (state) => told.push(state) }, never);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(await sending).toMatchObject({ outcome: 'sent' });
    expect(plans).toHaveLength(3);
    expect(told).toEqual([
      ...['queued', 'running', 'retrying'],
      ...['queued', 'running', 'retrying'],
      ...['queued', 'running'],
    ]);
  });

  it('starts again when the gateway has forgotten it', async () => {
    const begun_once: SendFile = async (_file, _plan, { onBegun }) => {
      onBegun('old');
      throw refusal(410, 'upload_expired');
    };
    const { send, plans } = attemptsOf(begun_once, well);
    const { tools, input } = setUp(send);
    await sendWhole(tools, input, never);
    expect(plans.map(({ upload_id }) => upload_id)).toEqual([undefined, undefined]);
  });

  it('is complete when only the answer to its last byte was lost', async () => {
    const all_sent: SendFile = async (file, _plan, { onBegun, onProgress }) => {
      onBegun('old');
      onProgress(file.size);
      throw refusal(404);
    };
    const { send, plans } = attemptsOf(all_sent);
    const { tools, input } = setUp(send, { 'GET /api/files/3/stat': { is_dir: false, size: 7 } });
    expect(await sendWhole(tools, input, never)).toMatchObject({ outcome: 'sent' });
    expect(plans).toHaveLength(1);
  });
});

describe('An upload whose name is taken', () => {
  const taken = refused(409, 'already_exists');

  async function answering(send: SendFile, answer: 'replace' | 'keep_both' | 'skip') {
    const { tools, input } = setUp(send);
    const sending = sendWhole(tools, input, never);
    await eventually(() => expect(tools.conflicts.questions()).toHaveLength(1));
    tools.conflicts.questions()[0]?.answer(answer, false);
    return sending;
  }

  it('replaces the existing file on request', async () => {
    const { send, plans } = attemptsOf(taken, well);
    expect(await answering(send, 'replace')).toMatchObject({ settled: 'replaced' });
    expect(plans.map(({ overwrite }) => overwrite)).toEqual([false, true]);
  });

  it('takes the first free name, and asks once', async () => {
    const { send, plans } = attemptsOf(taken, taken, well);
    expect(await answering(send, 'keep_both')).toEqual({
      ...{ outcome: 'sent', settled: 'kept_both', name: 'a (3).txt' },
    });
    expect(plans.map(({ filename }) => filename)).toEqual(['a.txt', 'a (2).txt', 'a (3).txt']);
  });

  it('is skipped on request', async () => {
    const { send, plans } = attemptsOf(taken);
    expect(await answering(send, 'skip')).toEqual({ outcome: 'skipped', name: 'a.txt' });
    expect(plans).toHaveLength(1);
  });

  it('lets others continue while it waits for the answer', async () => {
    const { send } = attemptsOf(taken, taken, taken, well);
    const { tools, input } = setUp(send);
    const giving_up = new AbortController();
    const waiting = ['a', 'b', 'c'].map((name) => sendWhole(tools, { ...input, name }, giving_up.signal));
    await eventually(() => expect(tools.conflicts.questions()).toHaveLength(3));
    expect(await sendWhole(tools, { ...input, name: 'd' }, never)).toMatchObject({ outcome: 'sent' });
    giving_up.abort();
    await Promise.allSettled(waiting);
  });
});
