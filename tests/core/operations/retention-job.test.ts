import { expect, it } from 'vitest';
import { toRecordingRetentionJob, toRetentionJob } from '#core/operations/create.ts';

it('audit retention runs on the leading instance only, an hour after its start and then daily', async () => {
  const working: Promise<unknown>[] = [];
  const background = { run: (_what: string, work: Promise<unknown>) => void working.push(work) };
  const done = () => Promise.allSettled(working.splice(0).map((work) => work.finally(() => {})));
  let tick = () => {};
  const after = (_ms: number, next: () => void) => {
    tick = next;
    return () => {};
  };
  const runs: number[] = [];
  let hour = 0;
  let leads = true;
  const run = async () => {
    runs.push(hour);
    if (hour <= 2) throw new Error('The database is away');
  };
  void toRetentionJob({ run }, () => leads, { clock: { after }, background }).start?.({
    url: '',
    announce() {},
  });
  await done();
  for (hour = 1; hour <= 100; hour += 1) {
    leads = hour < 30 || hour > 60;
    tick();
    await done();
  }
  expect(runs).toEqual([1, 2, 3, 27, 61, 85]);
});

it('recording retention runs on the leading instance only, not at its start', async () => {
  const working: Promise<unknown>[] = [];
  const background = { run: (_what: string, work: Promise<unknown>) => void working.push(work) };
  let tick = () => {};
  const after = (_ms: number, next: () => void) => {
    tick = next;
    return () => {};
  };
  const runs: number[] = [];
  let round = 0;
  const run = async () => void runs.push(round);
  void toRecordingRetentionJob({ run }, () => round !== 2, { clock: { after }, background }).start?.({
    url: '',
    announce() {},
  });
  await Promise.all(working.splice(0));
  for (round = 1; round <= 3; round += 1) {
    tick();
    await Promise.all(working.splice(0));
  }
  expect(runs).toEqual([1, 3]);
});
