import type { WSContext } from 'hono/ws';
import { Fault } from '#core/errors.ts';
import { type After, every } from '#core/lib/timers.ts';
import type { GatewayFrame } from '../contract/frames.ts';
import type { RawSocket } from './env.ts';
import { closeReason, errorFrame } from './refuse.ts';

const PING_INTERVAL_MS = 20_000;
const MISSED_PINGS = 2;

/** Our side of an accepted socket: frames, bytes, pings. */
export interface Socket {
  frame(frame: GatewayFrame): void;
  /** `sent` is called once the bytes have left the process. */
  bytes(bytes: Uint8Array, sent: () => void): void;
  pause(): void;
  resume(): void;
  /** An `error` frame, then the fault's close code. */
  refuse(fault: Fault): void;
  close(code: number, reason: string): void;
  /** Ends the pings. */
  stop(): void;
}

export function createSocket(ws: WSContext<RawSocket>, after: After): Socket {
  const raw = rawOf(ws);
  return {
    frame: (frame) => ws.send(JSON.stringify(frame)),
    bytes: (bytes, sent) => raw.send(bytes, { binary: true }, sent),
    pause: () => raw.pause(),
    resume: () => raw.resume(),
    refuse(fault) {
      ws.send(JSON.stringify(errorFrame(fault)));
      ws.close(fault.close_code, closeReason(fault));
    },
    close: (code, reason) => ws.close(code, reason),
    stop: startPings(raw, after),
  };
}

/** A half-open connection says nothing: two pings without an answer end it. */
function startPings(raw: RawSocket, after: After): () => void {
  let missed = 0;
  raw.on('pong', () => {
    missed = 0;
  });
  return every(after, PING_INTERVAL_MS, () => {
    if (missed >= MISSED_PINGS) raw.terminate();
    missed += 1;
    raw.ping();
  });
}

/** The runtime's upgrade always sets it. */
function rawOf(ws: WSContext<RawSocket>): RawSocket {
  if (!ws.raw) throw new Fault('internal');
  return ws.raw;
}
