import type { NewsFrame } from '#client/terminal/events.ts';

export interface Replay {
  begin(frame: NewsFrame): void;
  /** The part of output that is new, not a screen that is sent again. */
  newIn(bytes: Uint8Array): Uint8Array;
}

/** Tells new output from the screen that a socket sends first: of a known length to the owner, in one piece to a guest. */
export function createReplay(onBegin: () => void): Replay {
  let left_bytes = 0;
  return {
    begin(frame) {
      if (frame.type !== 'session' && frame.type !== 'joined') return;
      left_bytes = frame.type === 'joined' ? Number.POSITIVE_INFINITY : (frame.screen_bytes ?? 0);
      onBegin();
    },
    newIn(bytes) {
      const old = Math.min(left_bytes, bytes.length);
      left_bytes = left_bytes === Number.POSITIVE_INFINITY ? 0 : left_bytes - old;
      return bytes.subarray(old);
    },
  };
}
