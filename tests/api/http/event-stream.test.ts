import { describe, expect, it } from 'vitest';
import { type EventSource, eventStream, type ServerEvent } from '#api/http/event-stream.ts';
import type { After } from '#core/lib/time/timers.ts';

/** A clock that the test moves. */
function handClock() {
  const waiting = new Set<() => void>();
  const after: After = (_delay_ms, run) => {
    waiting.add(run);
    return () => waiting.delete(run);
  };
  return {
    after,
    pass() {
      for (const run of [...waiting]) {
        waiting.delete(run);
        run();
      }
    },
    timers: () => waiting.size,
  };
}

type Answer = readonly ServerEvent[] | undefined | Error;

/** Waits until the test supplies the next event. */
function handSource() {
  let hand: (answer: Answer) => void = () => undefined;
  let asked = 0;
  let stopped = 0;
  const source: EventSource = {
    next() {
      asked += 1;
      return new Promise((resolve, reject) => {
        hand = (answer) => (answer instanceof Error ? reject(answer) : resolve(answer));
      });
    },
    stop() {
      stopped += 1;
    },
  };
  return { source, hand: (answer: Answer) => hand(answer), asked: () => asked, stopped: () => stopped };
}

function open() {
  const clock = handClock();
  const feed = handSource();
  const reader = eventStream(feed.source, clock.after).getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
  return { clock, feed, reader, read };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const status = (data: unknown): ServerEvent => ({ name: 'status', data });

describe('A stream of server-sent events', () => {
  it('begins with the retry interval', async () => {
    const { read } = open();
    expect(await read()).toBe('retry: 3000\n\n');
  });

  it('writes each event with its name, and its data on one line', async () => {
    const {
      read,
      feed: { hand },
    } = open();
    await read();
    const next = read();
    await settled();
    hand([status({ text: 'two\nlines' }), { name: 'other', data: 1 }]);
    expect(await next).toBe('event: status\ndata: {"text":"two\\nlines"}\n\nevent: other\ndata: 1\n\n');
  });

  it('writes a comment at intervals while no event comes', async () => {
    const {
      read,
      clock: { pass },
    } = open();
    await read();
    for (let round = 0; round < 3; round += 1) {
      const next = read();
      await settled();
      pass();
      expect(await next).toBe(': keep-alive\n\n');
    }
  });

  it('continues with events after a comment', async () => {
    const {
      read,
      clock: { pass },
      feed: { hand, asked },
    } = open();
    await read();
    await settled();
    pass();
    expect(await read()).toBe(': keep-alive\n\n');
    const next = read();
    hand([status(1)]);
    expect(await next).toBe('event: status\ndata: 1\n\n');
    await settled();
    expect(asked()).toBe(2);
  });

  it('pulls nothing and queues no comments while the client does not read', async () => {
    const {
      read,
      clock: { pass },
      feed: { asked },
    } = open();
    for (let round = 0; round < 5; round += 1) pass();
    await settled();
    expect(asked()).toBe(0);
    expect(await read()).toBe('retry: 3000\n\n');
    await settled();
    for (let round = 0; round < 5; round += 1) pass();
    expect(await read()).toBe(': keep-alive\n\n');
  });

  it('ends with its source and leaves no timer', async () => {
    const {
      read,
      clock: { timers },
      feed: { hand, stopped },
    } = open();
    await read();
    const next = read();
    await settled();
    hand(undefined);
    expect(await next).toBeUndefined();
    expect([timers(), stopped()]).toEqual([0, 1]);
  });

  it('errors when its source fails and leaves no timer', async () => {
    const {
      read,
      clock: { timers },
      feed: { hand, stopped },
    } = open();
    await read();
    const next = read();
    await settled();
    hand(new Error('the database is gone'));
    await expect(next).rejects.toThrow('the database is gone');
    expect([timers(), stopped()]).toEqual([0, 1]);
  });

  it('stops its source when the client disconnects and leaves no timer', async () => {
    const {
      read,
      reader,
      clock: { timers },
      feed: { stopped },
    } = open();
    await read();
    await reader.cancel();
    expect([timers(), stopped()]).toEqual([0, 1]);
  });
});
