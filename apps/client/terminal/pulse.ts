import { createHeartbeat, REPLY_TIMEOUT_MS } from './heartbeat.ts';
import { createSilence } from './silence.ts';

/** Knows whether the gateway still answers on the current socket. */
export interface Pulse {
  start(): void;
  /** Measures the round trip, one ping at a time. */
  ping(): void;
  /** Pings now and expects an answer within this time. */
  ask(patience_ms: number): void;
  typed(): void;
  /** Any frame is a sign of life. */
  heard(): void;
  pong(): void;
  /** Whether nothing has answered what was typed. */
  isSilent(): boolean;
  stop(): void;
}

interface Options {
  /** False if the ping cannot be sent now. */
  sendPing(): boolean;
  dead(): void;
  /** Since when nothing has answered what was typed, by `Date.now()`; undefined once something does. */
  silent(since_ms: number | undefined): void;
  round_trip(ms: number): void;
}

export function createPulse({ sendPing, dead, silent, round_trip }: Options): Pulse {
  let pinged_at: number | undefined;
  let is_silent = false;

  function ping(): void {
    if (pinged_at !== undefined) return;
    const now = performance.now();
    if (sendPing()) pinged_at = now;
  }

  const heartbeat = createHeartbeat({ ping, dead });
  const silence = createSilence({
    ask: () => heartbeat.ask(REPLY_TIMEOUT_MS),
    changed(since_ms) {
      is_silent = since_ms !== undefined;
      silent(since_ms);
    },
  });

  return {
    start: heartbeat.start,
    ping,
    ask: heartbeat.ask,
    typed: silence.typed,
    heard() {
      heartbeat.heard();
      silence.heard();
    },
    pong() {
      if (pinged_at !== undefined) round_trip(performance.now() - pinged_at);
      pinged_at = undefined;
    },
    isSilent: () => is_silent,
    stop() {
      heartbeat.stop();
      silence.stop();
      pinged_at = undefined;
    },
  };
}
