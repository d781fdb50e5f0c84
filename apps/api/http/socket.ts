import type { WSContext } from 'hono/ws';
import { Fault } from '#core/errors.ts';
import { type After, every } from '#core/lib/time/timers.ts';
import type { GatewayFrame } from '../contract/terminals/frames.ts';
import type { RawSocket } from './env.ts';
import { closeSocket } from './refuse.ts';

const PING_INTERVAL_MS = 20_000;
const MISSED_PINGS = 2;
const WAITED_MS = 100; // a write that had to wait this long: the peer has read what was queued before it
const MOST_UNSENT_FRAMES = 256 * 1024; // characters
const STATES: ReadonlySet<GatewayFrame['type']> = new Set(['size', 'participants', 'mode', 'recording']);

/** The gateway's side of an accepted WebSocket: frames, bytes, pings. */
export interface Socket {
  frame(frame: GatewayFrame): void;
  /** Answers a ping, unless the previous answer is still queued. */
  pong(input_bytes?: number): void;
  /** `sent` is called once the bytes have left the process. */
  bytes(bytes: Uint8Array, sent: () => void): void;
  pause(): void;
  resume(): void;
  /** An `error` frame, then the fault's close code. */
  refuse(fault: Fault): void;
  close(code: number, reason: string): void;
  /** Stops the pings. */
  stop(): void;
}

export function createSocket(ws: WSContext<RawSocket>, after: After): Socket {
  const raw = rawOf(ws);
  const pings = startPings(raw, after);
  let answering = false;
  let is_paused = false;
  let has_output = false;
  return {
    frame: createFrames(raw).send,
    pong(input_bytes) {
      if (answering) return;
      answering = true;
      const frame: GatewayFrame = { type: 'pong', ...(input_bytes === undefined ? {} : { input_bytes }) };
      raw.send(JSON.stringify(frame), { binary: false }, () => {
        answering = false;
      });
    },
    bytes(bytes, sent) {
      has_output = true;
      raw.send(bytes, { binary: true }, pings.whenSent(sent));
    },
    pause() {
      is_paused = true;
      pings.suspend(true);
      raw.pause();
    },
    resume() {
      if (!is_paused) return;
      is_paused = false;
      pings.suspend(false);
      raw.resume();
    },
    refuse: (fault) => closeSocket(ws, fault, { after, answers: has_output ? 'slowly' : 'promptly' }),
    close: (code, reason) => ws.close(code, reason),
    stop: pings.stop,
  };
}

/** Bounds what queues for a peer that does not read: of state frames only the latest is kept, the rest is limited. */
function createFrames(raw: RawSocket) {
  const latest = new Map<GatewayFrame['type'], GatewayFrame | undefined>(); // state frames being sent, with their successor
  let unsent = 0;

  function put(frame: GatewayFrame): void {
    const text = JSON.stringify(frame);
    unsent += text.length;
    raw.send(text, { binary: false }, () => {
      unsent -= text.length;
      if (STATES.has(frame.type)) left(frame.type);
    });
    if (unsent > MOST_UNSENT_FRAMES) raw.terminate();
  }

  function left(type: GatewayFrame['type']): void {
    const next = latest.get(type);
    if (next) latest.set(type, undefined);
    else latest.delete(type);
    if (next) put(next);
  }

  return {
    send(frame: GatewayFrame): void {
      const is_state = STATES.has(frame.type);
      if (is_state && latest.has(frame.type)) {
        latest.set(frame.type, frame);
        return;
      }
      if (is_state) latest.set(frame.type, undefined);
      put(frame);
    },
  };
}

export interface Pings {
  /** Wraps a write's callback: while the send buffer is full, finished writes may be the only sign of life. */
  whenSent(sent: () => void): () => void;
  /** While reading is paused, answers cannot be seen. */
  suspend(suspended: boolean): void;
  stop(): void;
}

/** Detects half-open connections: terminates after two pings without any sign of life. */
export function startPings(
  raw: Pick<RawSocket, 'on' | 'ping' | 'terminate' | 'receivedBytes'>,
  after: After,
): Pings {
  let missed = 0;
  let received_bytes = 0;
  let suspended = false;
  const heard = () => {
    missed = 0;
  };
  raw.on('pong', heard);
  raw.on('message', heard); // a pong may be queued behind other messages
  const stop = every(after, PING_INTERVAL_MS, () => {
    if (suspended) return;
    const now_bytes = raw.receivedBytes?.() ?? 0;
    if (now_bytes > received_bytes) heard(); // also bytes of an incomplete message
    received_bytes = now_bytes;
    if (missed >= MISSED_PINGS) raw.terminate();
    missed += 1;
    raw.ping();
  });
  return {
    stop,
    whenSent(sent) {
      const begun_ms = performance.now();
      return () => {
        if (performance.now() - begun_ms > WAITED_MS) heard();
        sent();
      };
    },
    suspend(now_suspended) {
      suspended = now_suspended;
      missed = 0;
    },
  };
}

/** The runtime's upgrade always sets `raw`. */
function rawOf(ws: WSContext<RawSocket>): RawSocket {
  if (!ws.raw) throw new Fault('internal');
  return ws.raw;
}
