import { joined, type Keyframe, type Size } from './keyframes.ts';
import type { Cast } from './load-cast.ts';

const PIECE_CHARACTERS = 512 * 1024; // many small writes are slow

/** The callbacks to the player's terminal and controls. */
export type Dispatch = (name: string, data?: unknown) => void;

/** The number of events written to the terminal so far. */
export interface Showing {
  count(): number;
  /** Writes further events, up to `count` in total. */
  advance(count: number): void;
  /** Moves forward or back, from a keyframe if that is closer. */
  jump(count: number): void;
}

interface Deps {
  readonly cast: Cast;
  readonly keyframe: (count: number) => Keyframe | undefined;
  readonly dispatch: Dispatch;
}

export function createShowing({ cast, keyframe, dispatch }: Deps): Showing {
  const { cols, rows, events } = cast;
  let shown = 0;

  function begin(size: Size, init: string, count: number): void {
    dispatch('reset', { size, init, theme: null });
    shown = count;
  }

  function advance(count: number): void {
    for (const step of joined(events.slice(shown, count))) {
      if (typeof step === 'string') dispatch('output', piecesOf(step));
      else dispatch('resize', step);
    }
    shown = Math.max(shown, count);
  }

  begin({ cols, rows }, '', 0);
  return {
    count: () => shown,
    advance,
    jump(count) {
      const frame = keyframe(count);
      if (frame && (count < shown || frame.count > shown)) begin(frame.size, frame.init, frame.count);
      else if (count < shown) begin({ cols, rows }, '', 0);
      advance(count);
    },
  };
}

function piecesOf(text: string): string[] {
  const pieces = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS)
    pieces.push(text.slice(at, at + PIECE_CHARACTERS));
  return pieces;
}
