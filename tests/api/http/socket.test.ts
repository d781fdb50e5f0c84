import { WSContext } from 'hono/ws';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RawSocket } from '#api/http/env.ts';
import { createSocket } from '#api/http/socket.ts';
import { Fault } from '#core/errors.ts';

function setUp() {
  const log: string[] = [];
  const unsent: (() => void)[] = [];
  const timers: (() => void)[] = [];
  let received_bytes = 0;
  const hears = new Map<string, () => void>();
  const raw: RawSocket = {
    send: (data, _options, sent) => {
      log.push(String(data));
      unsent.push(sent);
    },
    close: () => log.push('close'),
    terminate: () => log.push('terminate'),
    ping: () => log.push('ping'),
    pause: () => log.push('pause'),
    resume: () => log.push('resume'),
    receivedBytes: () => received_bytes,
    on: (event, listener) => hears.set(event, listener),
  };
  const ws = new WSContext<RawSocket>({ raw, readyState: 1, send: () => {}, close: () => {} });
  const spans_ms: number[] = [];
  const after = (span_ms: number, run: () => void) => {
    spans_ms.push(span_ms);
    timers.push(run);
    return () => {};
  };
  const socket = createSocket(ws, after);
  return {
    socket,
    log,
    spans_ms,
    pong: () => hears.get('pong')?.(),
    receive: (bytes: number) => {
      received_bytes += bytes;
    },
    message: () => hears.get('message')?.(),
    tick: () => timers.shift()?.(),
    sendAll: () => {
      for (const sent of unsent.splice(0)) sent();
    },
  };
}

describe('A terminal socket', () => {
  it('keeps only the latest state for a peer that does not read', () => {
    const { socket, log, sendAll } = setUp();
    for (let cols = 1; cols <= 100; cols += 1) socket.frame({ type: 'size', cols, rows: 24 });
    expect(log).toEqual(['{"type":"size","cols":1,"rows":24}']);
    sendAll();
    expect(log.at(-1)).toBe('{"type":"size","cols":100,"rows":24}');
    expect(log).toHaveLength(2);
  });

  it('closes when too many unread messages are queued', () => {
    const { socket, log } = setUp();
    const notice = { type: 'notice', code: 'x', message: 'y'.repeat(1000) } as const;
    for (let count = 0; count < 300; count += 1) socket.frame(notice);
    expect(log).toContain('terminate');
  });

  it('closes after two missed pings', () => {
    const { log, tick } = setUp();
    for (let count = 0; count < 3; count += 1) tick();
    expect(log.slice(0, 3)).toEqual(['ping', 'ping', 'terminate']);
  });

  it('stays open while pings are answered', () => {
    const { log, tick, pong } = setUp();
    for (let count = 0; count < 10; count += 1) {
      tick();
      pong();
    }
    expect(log).not.toContain('terminate');
  });

  it('stays open while any data arrives from a peer whose pongs are queued behind it', () => {
    const { log, tick, message } = setUp();
    for (let count = 0; count < 10; count += 1) {
      tick();
      message();
    }
    expect(log).not.toContain('terminate');
  });

  it('stays open while a message from the peer is still arriving', () => {
    const { log, tick, receive } = setUp();
    for (let count = 0; count < 10; count += 1) {
      receive(1000);
      tick();
    }
    expect(log).not.toContain('terminate');
  });

  it('is cut off 5 s after a refusal that the peer does not answer', () => {
    const { socket, log, spans_ms, tick } = setUp();
    socket.refuse(new Fault('terminal_taken_over'));
    expect(spans_ms.at(-1)).toBe(5000);
    tick(); // Timers of the pings.
    tick();
    expect(log).toContain('terminate');
  });

  it('allows a minute for the close when output may still be in transit', () => {
    const { socket, spans_ms } = setUp();
    socket.bytes(new Uint8Array(1), () => {});
    socket.refuse(new Fault('terminal_taken_over'));
    expect(spans_ms.at(-1)).toBe(60_000);
  });

  it('stays open while its send buffer drains, and closes when that stops', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { socket, log, tick, sendAll } = setUp();
    const write = (waits_ms: number) => {
      socket.bytes(new Uint8Array(1), () => {});
      vi.advanceTimersByTime(waits_ms);
      sendAll();
    };
    for (let count = 0; count < 10; count += 1) {
      tick();
      write(5000);
    }
    expect(log).not.toContain('terminate');
    for (let count = 0; count < 3; count += 1) {
      tick();
      write(0); // The kernel buffers it for a peer that is gone.
    }
    expect(log).toContain('terminate');
  });

  it('counts no missed pong while its own reading is paused', () => {
    const { socket, log, tick } = setUp();
    socket.pause();
    for (let count = 0; count < 5; count += 1) tick();
    expect(log).toEqual(['pause']);
    socket.resume();
    tick();
    expect(log).toEqual(['pause', 'resume', 'ping']);
  });

  it('queues one pong at most, however many pings arrive', () => {
    const { socket, log, sendAll } = setUp();
    for (let count = 0; count < 100; count += 1) socket.pong();
    expect(log).toEqual(['{"type":"pong"}']);
    sendAll();
    socket.pong();
    expect(log).toHaveLength(2);
  });
});
