import { describe, expect, it } from 'vitest';
import { createLifecycle, type Job, toJob } from '#core/lifecycle.ts';

const BOOT = { url: 'http://a.test', announce: () => undefined };

function setUp(...failing: readonly string[]) {
  const events: string[] = [];
  const warned: unknown[] = [];
  const now = (event: string) => {
    events.push(event);
    if (failing.includes(event)) throw new Error(event);
  };
  const step = async (event: string) => now(event);
  const job = (name: string): Job => ({
    name,
    start: () => step(`start ${name}`),
    handOver: () => now(`hand over ${name}`),
    drain: () => now(`drain ${name}`),
    stop: () => step(`stop ${name}`),
  });
  const log = { warn: (fields: object) => warned.push(fields) };
  return { lifecycle: createLifecycle(['a', 'b', 'c'].map(job), log), events, warned };
}

describe('The lifecycle', () => {
  it('starts jobs in order and stops them in reverse order, once', async () => {
    const { lifecycle, events } = setUp();
    await lifecycle.start(BOOT);
    await lifecycle.stop();
    await lifecycle.stop();
    expect(events).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a']);
  });

  it('hands over and drains in reverse order before it stops anything', async () => {
    const { lifecycle, events } = setUp();
    await lifecycle.start(BOOT);
    lifecycle.handOver();
    lifecycle.drain();
    expect(events.slice(3)).toEqual([
      ...['hand over c', 'hand over b', 'hand over a'],
      ...['drain c', 'drain b', 'drain a'],
    ]);
  });

  it('drains the other jobs when one cannot, and none that has stopped', async () => {
    const { lifecycle, events, warned } = setUp('drain b');
    await lifecycle.start(BOOT);
    lifecycle.drain();
    await lifecycle.stop();
    lifecycle.drain();
    expect(events.slice(3)).toEqual(['drain c', 'drain b', 'drain a', 'stop c', 'stop b', 'stop a']);
    expect(warned).toEqual([expect.objectContaining({ job: 'b', phase: 'drain' })]);
  });

  it('starts no job after one that fails, and stops those that have begun', async () => {
    const { lifecycle, events } = setUp('start b');
    await expect(lifecycle.start(BOOT)).rejects.toThrow('start b');
    await lifecycle.stop();
    expect(events).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  });

  it('stops a job that has no start, even when an earlier job failed to start', async () => {
    const events: string[] = [];
    const broken: Job = { name: 'a', start: () => Promise.reject(new Error('broken')) };
    const worker: Job = { name: 'worker', stop: () => void events.push('stop worker') };
    const lifecycle = createLifecycle([broken, worker], { warn: () => undefined });
    await expect(lifecycle.start(BOOT)).rejects.toThrow('broken');
    await lifecycle.stop();
    expect(events).toEqual(['stop worker']);
  });

  it('starts no further job once it is stopped, and stops the starting one again when its start has finished', async () => {
    const events: string[] = [];
    let begun = () => {};
    const starting = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const a: Job = { name: 'a', start: () => starting, stop: () => void events.push('stop a') };
    const b: Job = { name: 'b', start: () => void events.push('start b') };
    const lifecycle = createLifecycle([a, b], { warn: () => undefined });
    const started = lifecycle.start(BOOT);
    await lifecycle.stop();
    begun();
    await expect(started).rejects.toThrow('stopped during its start');
    expect(events).toEqual(['stop a', 'stop a']);
  });

  it('stops the other jobs when one does not stop cleanly', async () => {
    const { lifecycle, events, warned } = setUp('stop b');
    await lifecycle.start(BOOT);
    await lifecycle.stop();
    expect(events.slice(3)).toEqual(['stop c', 'stop b', 'stop a']);
    expect(warned).toEqual([expect.objectContaining({ job: 'b' })]);
  });

  it('stops a job with the function that its start returned', async () => {
    const events: string[] = [];
    const job = toJob('a', () => {
      events.push('start');
      return () => void events.push('stop');
    });
    await job.stop?.();
    await job.start?.(BOOT);
    await job.stop?.();
    expect(events).toEqual(['start', 'stop']);
  });
});
